"""Starting or going on with a run: what is recorded, and what a finished run says."""

import os
import platform
from dataclasses import replace
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from runyard import __version__
from runyard.checkpoint.record import RunRecord, changed_keys
from runyard.config.train_args import TrainArgs
from runyard.errors import CheckpointError
from runyard.runner.membership import orders_of_supervisor
from runyard.telemetry import note

_MAY_CHANGE = (
    "job.job_detail.train_args.epochs",
    "job.job_detail.train_args.devices",
    "job.job_detail.train_args.restart",
    "job.num_workers",
    "job.num_pss",
)
"""Keys whose change does not touch what has been trained so far, or that something else is said about."""

_THREADS = {"intra": "intra_op_paral", "inter": "inter_op_paral"}
_TOLD_AS_THREADS = tuple(f"job.job_detail.train_args.{key}" for key in _THREADS.values())

_FIX_THE_DATA = ("job.job_detail.train_args.batch_size", "job.job_detail.train_data_args")
"""Keys whose change makes another dataset, in which the old position means nothing."""


def new_record(
    *, seed: int, now: datetime, job: dict[str, Any], args: TrainArgs, shards: int = 1, replicas: int = 1
) -> RunRecord:
    orders = orders_of_supervisor()
    return RunRecord(
        seed=seed,
        now=now.isoformat(),
        versions=versions(),
        threads=threads(args),
        job=job,
        run=orders.run if orders is not None else "",
        shards=shards,
        replicas=replicas,
    )


def versions() -> dict[str, str]:
    """What the run depends on."""
    packages = {name: metadata.version(name) for name in ("tensorflow", "keras", "tf-keras", "numpy")}
    return {"python": platform.python_version(), "runyard": __version__, **packages}


def threads(args: TrainArgs) -> dict[str, int]:
    """How many TensorFlow has: what the job says, else the environment, else one for each processor it may use."""
    return {
        kind: getattr(args, key) or _environment(f"TF_NUM_{kind.upper()}OP_THREADS") or len(os.sched_getaffinity(0))
        for kind, key in _THREADS.items()
    }


def _environment(name: str) -> int:
    value = os.environ.get(name, "")
    return int(value) if value.isdecimal() else 0


def of_job_as_it_is(record: RunRecord, *, job: dict[str, Any], args: TrainArgs, directory: Path) -> RunRecord:
    """The record of a run that is to go on, after it was told what is no longer as it was.

    A run that has no checkpoint yet draws nothing again, and all else is as the job says now: a wrong path to the data,
    at which a first attempt has failed, can be mended.

    Raises:
        CheckpointError: if the training data have changed since there was a checkpoint.
    """
    from runyard.checkpoint.store import CheckpointStore

    if record.result is not None or CheckpointStore(directory, keep=1).any():
        tell_changes(record, job=job, args=args)
        return record
    seed = args.seed if args.seed is not None else record.seed
    return replace(record, seed=seed, versions=versions(), threads=threads(args), job=job)


def tell_changes(record: RunRecord, *, job: dict[str, Any], args: TrainArgs) -> None:
    """Notes what is no longer as it was when the run began: then it cannot end as it would have.

    Raises:
        CheckpointError: if the training data have changed.
    """
    changed = [key for key in changed_keys(record.job, job) if key not in (*_MAY_CHANGE, *_TOLD_AS_THREADS)]
    other_data = [key for key in changed if key.startswith(_FIX_THE_DATA)]
    if other_data:
        raise CheckpointError(
            f"the data of this run have changed, so its position in them means nothing: {', '.join(other_data)}",
            hint="undo the change, choose another ckpt_path, or start over with --fresh",
        )
    if changed:
        note(f"the job has changed since this run began: {', '.join(changed)}; --fresh starts over")
    now = versions()
    newer = [f"{name} {old} -> {now.get(name)}" for name, old in record.versions.items() if now.get(name) != old]
    if newer:
        note(f"versions have changed since this run began: {', '.join(newer)}")
    others = [
        f"{kind} {record.threads[kind]} -> {count}"
        for kind, count in threads(args).items()
        if record.threads.get(kind, count) != count
    ]
    if others:
        note(
            f"TensorFlow's threads are not those this run began with ({', '.join(others)}): only with the same number "
            "would it end with the same bits"
        )


def note_changes_of_finished(record: RunRecord, *, job: dict[str, Any]) -> None:
    """A finished run stays as it is, whatever the job says now; nobody should take its model for another."""
    changed = [key for key in changed_keys(record.job, job) if key not in (*_MAY_CHANGE, *_TOLD_AS_THREADS)]
    if changed:
        note(
            f"the job has changed since this run was begun, and nothing is trained: {', '.join(changed)}; "
            "--fresh trains the job as it is now"
        )


def is_complete(record: RunRecord, *, args: TrainArgs, max_steps: int | None) -> bool:
    """Whether a finished run has nothing left to do for this command."""
    result = record.result
    if result is None:
        return False
    if result["stopped_early"] or result["epochs"] >= args.epochs:
        return True
    return max_steps is not None and result["step"] >= max_steps


def finished_message(record: RunRecord, *, directory: Path, continues: bool) -> str:
    """What a finished run says.

    Args:
        continues: whether a new run would start from an earlier model.
    """
    result = record.result or {}
    models = ", ".join(result.get("models", [])) or "nothing"
    what = "a run that continues from the saved model" if continues else "over"
    return (
        f"This run is finished ({result.get('reason')}): {models}\n"
        f"{_how_to_go_on(result)} to start {what}, use --fresh or another ckpt_path (now {directory})."
    )


def _how_to_go_on(result: dict[str, Any]) -> str:
    if str(result.get("reason", "")).endswith(("step done", "steps done")):
        return "To go on, raise --max-steps or leave it out;"
    return "It stopped by itself;" if result.get("stopped_early") else "To go on, raise train_args.epochs;"
