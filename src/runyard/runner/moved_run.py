"""A run whose folder was moved, copied, or mounted elsewhere: it is still the same job on the same data."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from runyard.checkpoint.record import RunRecord
from runyard.config.paths import JobPaths


def as_if_begun_here(record: RunRecord, *, paths: JobPaths, directory: Path) -> RunRecord:
    """The record with the paths that its job has now.

    Args:
        directory: where the record was found. One that is not below the data path has not come along with the data:
            then other paths are a change like any other.
    """
    if not directory.is_relative_to(paths.data):
        return record
    now = {"data_path": str(paths.data), "pack_path": str(paths.pack)}
    moved = {str(record.job[name]): path for name, path in now.items() if record.job.get(name) not in (None, path)}
    if not moved:
        return record
    return replace(record, job=_moved(record.job, moved), result=_moved(record.result, moved))


def _moved(value: Any, folders: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _moved(inner, folders) for key, inner in value.items()}
    if isinstance(value, list):
        return [_moved(inner, folders) for inner in value]
    if isinstance(value, str):
        for old, new in folders.items():
            if value == old or value.startswith(f"{old}/"):
                return new + value.removeprefix(old)
    return value
