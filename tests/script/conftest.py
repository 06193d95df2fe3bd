import json
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runyard.config import JobDraft, JobRequest, draft_job

Write = Callable[[str, str], Path]
Draft = Callable[..., JobDraft]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file of the pack and gives its path."""

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    return write


@pytest.fixture
def draft(tmp_path: Path) -> Draft:
    """A job of the script `train.py`, written to a file with one key in each line."""

    def draft(*, lenient: bool = False, **detail: object) -> JobDraft:
        path = tmp_path / "job.json"
        path.write_text(json.dumps({"job_detail": {"script_name": "train.py", **detail}}, indent=1))
        return draft_job(JobRequest(job_file=path, pack_path=str(tmp_path), lenient=lenient))

    return draft


@pytest.fixture(autouse=True)
def process_is_left_as_it_was() -> Iterator[None]:
    """Whatever a script does, the process looks the same afterwards."""
    path, finders, directory = list(sys.path), list(sys.meta_path), Path.cwd()
    yield
    assert sys.path == path
    assert sys.meta_path == finders
    assert Path.cwd() == directory
