"""Result files that would replace what the job is made of: its script, its job file, its data."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from runyard.config import Job, JobDraft
from runyard.config.mistakes import Mistake, show_value

_DATA = ("train_data_args", "val_data_args", "test_data_args", "predict_data_args")


def overwriting(job: Job, *, draft: JobDraft) -> Iterator[Mistake]:
    """One mistake for each result file that is a file of the user's."""
    users = dict(_users_files(job, draft=draft))
    for section, key in (("eval_args", "output_file"), ("predict_args", "result_file")):
        name = getattr(getattr(job.job_detail, section), key, None)
        if not isinstance(name, str) or "\0" in name:
            continue
        what = users.get(_normal(draft.paths.in_data(name)))
        if what is not None:
            yield Mistake(
                f"the results would replace {what}",
                path=("job_detail", section, key),
                received=show_value(name),
                hint="name another file",
            )


def _users_files(job: Job, *, draft: JobDraft) -> Iterator[tuple[Path, str]]:
    for section in _DATA:
        for text in _strings(getattr(job.job_detail, section)):
            path = draft.paths.in_data(text)
            if _is_file(path):
                yield _normal(path), f"a file that {section} names"
    if draft.script_path is not None:
        yield _normal(draft.script_path), "the script"
    yield _normal(Path(draft.document.source)), "the job file"


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _strings(inner)


def _is_file(path: Path) -> bool:
    """Any text may stand in the arguments of a callback, also one that is too long for a name."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _normal(path: Path) -> Path:
    try:
        return path.absolute().resolve()
    except (OSError, RuntimeError):  # a loop of links
        return path.absolute()
