"""`runyard train`: load, build, fit, save."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from runyard.checkpoint.lock import RunLock
from runyard.checkpoint.record import RunRecord, read_record
from runyard.config import JobRequest, resolved_job
from runyard.config.train_args import TrainArgs
from runyard.runner.dated_runs import begun_under_another_date
from runyard.runner.plan import Plan, plan_job
from runyard.runner.run_record import finished_message, is_complete, new_record, note_changes_of_finished, tell_changes
from runyard.runner.starting import start
from runyard.script import Task
from runyard.telemetry import note, say


@dataclass(frozen=True)
class TrainOptions:
    """What the command line says beyond the job."""

    fresh: bool = False
    max_steps: int | None = None
    overfit_batches: int | None = None
    fast_dev_run: bool = False

    @property
    def limited_data(self) -> bool:
        """Whether only a few batches are used, so that metrics mean little."""
        return self.fast_dev_run or self.overfit_batches is not None


@dataclass(frozen=True)
class TrainResult:
    """What came out of a training."""

    reason: str
    epochs: int = 0
    step: int = 0
    results: Mapping[str, Any] = field(default_factory=dict[str, Any])
    models: tuple[str, ...] = ()


def train(request: JobRequest, options: TrainOptions) -> TrainResult:
    """Trains a job to its end, from wherever an earlier run of it stopped.

    Raises:
        RunyardError: the kind says what went wrong; see `errors`.
    """
    plan = plan_job(request, tasks={Task.TRAIN})
    if plan.job.skip:
        return TrainResult("the job says skip")
    if options.limited_data:
        from runyard.runner.throwaway_training import train_and_forget

        return train_and_forget(plan, options)
    begun = None if options.fresh else begun_under_another_date(request, plan)
    if begun is not None:
        plan = plan_job(replace(request, now=begun.moment), tasks={Task.TRAIN})
        say(f"Going on with the run of {begun.moment:%Y-%m-%d %H:%M}, which is not finished; --fresh begins today's.")
    directory = checkpoint_directory(plan)
    with RunLock(directory):
        record = None if options.fresh else read_record(directory)
        if record is not None:
            plan = plan_job(replace(request, now=record.moment), tasks={Task.TRAIN})
            if is_complete(record, args=training_args(plan), max_steps=options.max_steps):
                continues = bool(plan.job.job_detail.model_args.get("continue_training"))
                note_changes_of_finished(record, job=resolved_job(plan.job, plan.paths))
                say(finished_message(record, directory=directory, continues=continues))
                return _of_record(record)
        for remark in plan.remarks:
            note(remark)
        return _train(plan, record=record, directory=directory, options=options)


def training_args(plan: Plan) -> TrainArgs:
    args = plan.job.job_detail.train_args
    assert args is not None, "the job file was checked"
    return args


def checkpoint_directory(plan: Plan) -> Path:
    return plan.paths.in_data(training_args(plan).ckpt_path)


def _train(plan: Plan, *, record: RunRecord | None, directory: Path, options: TrainOptions) -> TrainResult:
    start(plan)
    from runyard.checkpoint.store import begin_anew, refuse_orphans
    from runyard.runner.assembly import assemble
    from runyard.training.randomness import draw_seed

    args = training_args(plan)
    shown = resolved_job(plan.job, plan.paths)
    is_new = record is None
    if record is None:
        refuse_orphans(directory, fresh=options.fresh)
        seed = args.seed if args.seed is not None else draw_seed()
        record = new_record(seed=seed, now=plan.now, job=shown, args=args)
    else:
        tell_changes(record, job=shown, args=args)
    assembled = assemble(plan, seed=record.seed, directory=directory, options=options)
    if is_new:
        # Only now that the new run can start is the old one thrown away.
        begin_anew(directory)
        record.write(directory)
    with assembled.active():
        outcome = assembled.fit()
        models = assembled.save(outcome)
    result = {
        "reason": outcome.reason,
        "epochs": outcome.epochs,
        "step": outcome.step,
        "stopped_early": outcome.stopped_early,
        "results": dict(outcome.results),
        "models": models,
    }
    record.with_result(result).write(directory)
    return _of_record(record.with_result(result))


def _of_record(record: RunRecord) -> TrainResult:
    result = record.result or {}
    return TrainResult(
        result["reason"], result["epochs"], result["step"], result["results"], models=tuple(result["models"])
    )
