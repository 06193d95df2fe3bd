"""`runyard predict` as a user meets it, before TensorFlow is started."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = "def awf_create_predict_dataset_fn():\n    return None\n"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A command, with every module that it imports on stderr."""
    return subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "runyard", "predict", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def write(folder: Path, **detail: object) -> str:
    (folder / "script.py").write_text(SCRIPT)
    (folder / "job.json").write_text(json.dumps({"script_name": "script.py", **detail}))
    return str(folder / "job.json")


@pytest.mark.parametrize(
    ("detail", "options", "code", "said"),
    [
        ({"predict_args": {"format": "xml"}}, [], 2, "csv, jsonl, parquet, tfrecord"),
        ({"predict_args": {"row_format": "{output!r}"}}, [], 2, "row_format"),
        ({"predict_data_args": {"file": "x"}}, [], 2, "file"),
        ({}, ["--shard", "9/8"], 2, "expected a number out of how many, such as 1/8 or 8/8"),
        ({"predict_args": {"result_file": "."}}, [], 9, "it is a directory"),
    ],
)
def test_mistakes_are_found_before_tensorflow_is_imported(
    detail: dict[str, object], options: list[str], code: int, said: str, tmp_path: Path
) -> None:
    done = run(write(tmp_path, **detail), *options)
    assert done.returncode == code, done.stderr[-2000:]
    assert said in done.stderr
    assert not re.search(r"\btensorflow$", done.stderr, flags=re.MULTILINE)
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["job.json", "script.py"]


def test_a_job_that_says_skip_is_done(tmp_path: Path) -> None:
    done = run(write(tmp_path, skip=True))
    assert (done.returncode, done.stdout) == (0, "Done: the job says skip.\n")
