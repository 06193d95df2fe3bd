"""What a prediction that goes on must find as it was: the job, the script, the model, the data."""

from pathlib import Path
from typing import Any, cast

from runyard.checkpoint.digests import digest_of_files
from runyard.checkpoint.record import RunRecord, changed_keys
from runyard.config import resolved_job
from runyard.errors import CheckpointError
from runyard.runner.plan import Plan
from runyard.runner.prediction.input_files import files_of_arguments
from runyard.runner.prediction.shard import Shard
from runyard.runner.run_record import versions
from runyard.telemetry import note

_OF_THE_JOB = ("predict_args", "predict_data_args", "load_model_args")


def predict_record(plan: Plan, *, model: Path, result: Path, shard: Shard | None, seed: int) -> RunRecord:
    """The facts of a prediction, with digests of the files that it depends on.

    Args:
        model: where it is; a loader of the script's may make something of a path that leads nowhere.
        result: where the predictions go.
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
        "script": digest_of_files([script]),
        "model": digest_of_files(sorted(model.rglob("*")) if model.is_dir() else [model]),
        "files of predict_data_args": files_of_arguments(
            detail.get("predict_data_args"), folders=(script.parent, plan.paths.data), result=result
        ),
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
