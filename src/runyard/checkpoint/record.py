"""The run record: what a resumed run must not draw again, fixed before the first step."""

import json
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from runyard.checkpoint.durable import write_json
from runyard.errors import CheckpointError

RECORD_FILE = "run.json"
_FORMAT = 1


@dataclass(frozen=True)
class RunRecord:
    """The facts of a run.

    Args:
        seed: of everything random.
        now: the moment that `${DATE}$` speaks of.
        versions: of Python, TensorFlow, Keras and Runyard at the start.
        threads: how many TensorFlow had, within and between operations: sums depend on it in their last bits.
        job: the resolved job.
        result: what came out, once it is finished.
        run: the name that a supervisor has given to all that it starts; empty without one.
        shards: parts of the data, one for each worker that it began with.
        replicas: parts of a batch, one for each device that a worker had.
    """

    seed: int
    now: str
    versions: dict[str, str]
    threads: dict[str, int]
    job: dict[str, Any]
    result: dict[str, Any] | None = None
    format: int = _FORMAT
    run: str = ""
    shards: int = 1
    replicas: int = 1

    @property
    def moment(self) -> datetime:
        return datetime.fromisoformat(self.now)

    def with_result(self, result: dict[str, Any]) -> "RunRecord":
        return replace(self, result=result)

    def write(self, directory: Path) -> None:
        write_json(directory / RECORD_FILE, asdict(self))


def read_record(directory: Path) -> RunRecord | None:
    """The record of the run in a directory, or None if none was begun there.

    Raises:
        CheckpointError: if there is one that cannot be read.
    """
    path = directory / RECORD_FILE
    try:
        record = RunRecord(**json.loads(path.read_text(encoding="utf-8")))
        _refuse_malformed(record)
        return record
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        raise CheckpointError(
            f"the run record {path} cannot be read: {error}", hint="remove it, or start over with --fresh"
        ) from error


def _refuse_malformed(record: RunRecord) -> None:
    if record.format != _FORMAT:
        raise ValueError(f"format {record.format}, expected {_FORMAT}")
    datetime.fromisoformat(record.now)
    kinds = {"seed": int, "versions": dict, "threads": dict, "job": dict, "result": dict | None}
    counts = {"shards": int, "replicas": int}
    for name, kind in {**kinds, **counts}.items():
        value = getattr(record, name)
        if not isinstance(value, kind) or (name in counts and value < 1):
            raise ValueError(f"{name} is {value!r}")


def changed_keys(old: Any, new: Any, *, path: str = "") -> list[str]:
    """Where two resolved jobs differ, as paths."""
    if isinstance(old, dict) and isinstance(new, dict):
        found: list[str] = []
        for key in [*old, *(key for key in new if key not in old)]:
            inner = f"{path}.{key}" if path else str(key)
            found += changed_keys(old.get(key), new.get(key), path=inner)
        return found
    return [] if old == new else [path]
