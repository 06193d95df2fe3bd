"""What a prediction that goes on must find as it was: the job, the script, the model."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from runyard.checkpoint.record import RunRecord, changed_keys
from runyard.config import resolved_job
from runyard.errors import CheckpointError, StorageError
from runyard.runner.plan import Plan
from runyard.runner.prediction.shard import Shard
from runyard.runner.run_record import versions
from runyard.telemetry import note

_OF_THE_JOB = ("predict_args", "predict_data_args", "load_model_args")


def predict_record(plan: Plan, *, model: Path, shard: Shard | None, seed: int) -> RunRecord:
    """The facts of a prediction, with digests of the files that it depends on.

    Args:
        model: where it is; a loader of the script's may make something of a path that leads nowhere.
    """
    job = cast("dict[str, Any]", resolved_job(plan.job, plan.paths)["job"])
    detail = job["job_detail"]
    script = plan.draft.script_path
    assert script is not None, "the job file was checked"
    facts = {
        **{key: detail.get(key) for key in _OF_THE_JOB},
        "train_args": {"input": (detail.get("train_args") or {}).get("input")},
        "keras": job.get("keras"),
        "shard": f"{shard.number}/{shard.count}" if shard else None,
        "script": _digest([script]),
        "model": _digest(sorted(model.rglob("*")) if model.is_dir() else [model]),
    }
    return RunRecord(seed=seed, now=plan.now.isoformat(), versions=versions(), threads={}, job=facts)


def refuse_changes(earlier: RunRecord, record: RunRecord) -> None:
    """Rows of two jobs or two models must not end in one file.

    Raises:
        CheckpointError: if something has changed since the prediction began.
    """
    changed = changed_keys(earlier.job, record.job)
    if changed:
        raise CheckpointError(
            f"cannot go on, because this has changed since the prediction began: {', '.join(changed)}",
            hint="undo the change, or start over without --resume",
        )
    if earlier.versions != record.versions:
        note("Python, TensorFlow or another library has changed since the prediction began")


def _digest(paths: Iterable[Path]) -> str:
    """One digest for the names and contents of files; other paths are passed over.

    Raises:
        StorageError: if one cannot be read.
    """
    found = hashlib.sha256()
    for path in paths:
        if path.is_file():
            try:
                with path.open("rb") as file:
                    found.update(f"{path.name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
            except OSError as error:
                raise StorageError(f"cannot read {path}: {error.strerror or error}") from error
    return found.hexdigest()
