"""`runyard train`: load, build, fit, save."""

import json
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runyard.checkpoint.lock import RunLock
from runyard.checkpoint.record import RunRecord, read_record
from runyard.cluster import Heartbeat, MemberFlags, Place
from runyard.config import JobRequest, resolved_job
from runyard.config.train_args import TrainArgs
from runyard.runner.dated_runs import begun_under_another_date
from runyard.runner.devices import devices_of
from runyard.runner.dividing import go_on_with, shards_to_begin_with
from runyard.runner.membership import (
    dismiss_others,
    join_others,
    orders_of_supervisor,
    place_in_cluster,
    refusing_lost_servers,
    serve_others,
)
from runyard.runner.plan import Plan, plan_job
from runyard.runner.run_record import (
    finished_message,
    is_complete,
    new_record,
    note_changes_of_finished,
    of_job_as_it_is,
)
from runyard.runner.supervising import run_workers
from runyard.script import Task
from runyard.telemetry import note, say

if TYPE_CHECKING:
    from runyard.runner.assembly import Assembled
    from runyard.training.workers import Workers


@dataclass(frozen=True)
class TrainOptions:
    """What the command line says beyond the job."""

    fresh: bool = False
    max_steps: int | None = None
    overfit_batches: int | None = None
    fast_dev_run: bool = False
    flags: MemberFlags = field(default_factory=MemberFlags)
    """By which a platform says which member of a cluster this process is."""

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
    told: bool = False
    """Whether it has been shown already."""


def train(request: JobRequest, options: TrainOptions) -> TrainResult:
    """Trains a job to its end, from wherever an earlier run of it stopped.

    With several workers this process supervises them, unless TF_CONFIG or the flags say that it is one of them.

    Raises:
        RunyardError: the kind says what went wrong; see `errors`.
        SystemExit: if workers have failed. What they said has been shown then.
    """
    orders = orders_of_supervisor()
    if orders is not None:
        request = replace(request, now=orders.moment)
    plan = plan_job(request, tasks={Task.TRAIN})
    if plan.job.skip:
        return TrainResult("the job says skip")
    place = place_in_cluster(plan, flags=options.flags)
    if options.overfit_batches is not None:
        return _overfit(plan, options=options, place=place)
    if place is None and (plan.job.num_workers > 1 or plan.job.num_pss):
        return _supervise(request, plan=plan, options=options)
    heartbeat = Heartbeat.of_this_process()
    with heartbeat.working():
        if place is not None and place.cluster.ps and not place.is_chief:
            return _serve(plan, place=place)
        if options.fast_dev_run:
            from runyard.runner.throwaway_training import rehearse

            return rehearse(plan, options, place=place, heartbeat=heartbeat)
        if place is not None and not place.is_chief:
            return _follow(request, plan=plan, options=options, place=place, heartbeat=heartbeat)
        return _lead(request, plan=plan, options=options, place=place, heartbeat=heartbeat)


def _supervise(request: JobRequest, *, plan: Plan, options: TrainOptions) -> TrainResult:
    run_workers(request, plan=plan, args=training_args(plan), options=options)
    return TrainResult("the workers have told the rest", told=True)


def _overfit(plan: Plan, *, options: TrainOptions, place: Place | None) -> TrainResult:
    """Whether a model can learn a few batches by heart is seen in one process."""
    if place is not None and not place.is_chief:
        return TrainResult("--overfit-batches trains in the chief alone")
    if (place is not None and not place.is_lone) or plan.job.num_workers > 1 or plan.job.num_pss:
        note("--overfit-batches trains in one process, without the other workers")
    from runyard.runner.throwaway_training import overfit

    return overfit(plan, options)


def _serve(plan: Plan, *, place: Place) -> TrainResult:
    """The part of a process that a coordinator drives: it has no script, no data and no opinion."""
    serve_others(place, plan=plan)
    return TrainResult("the coordinator has ended", told=True)


def _lead(
    request: JobRequest, *, plan: Plan, options: TrainOptions, place: Place | None, heartbeat: Heartbeat
) -> TrainResult:
    """The part of a process that works alone, or that is the chief of several: it reads, writes and decides."""
    begun = None if options.fresh else begun_under_another_date(request, plan)
    if begun is not None:
        plan = plan_job(replace(request, now=begun.moment), tasks={Task.TRAIN})
        say(f"Going on with the run of {begun.moment:%Y-%m-%d %H:%M}, which is not finished; --fresh begins today's.")
    directory = checkpoint_directory(plan)
    with RunLock(directory):
        record = _earlier_record(directory, options=options)
        if record is not None:
            plan = plan_job(replace(request, now=record.moment), tasks={Task.TRAIN})
            if is_complete(record, args=training_args(plan), max_steps=options.max_steps):
                _tell_finished(plan, place=place)
                continues = bool(plan.job.job_detail.model_args.get("continue_training"))
                note_changes_of_finished(record, job=resolved_job(plan.job, plan.paths))
                say(finished_message(record, directory=directory, continues=continues))
                return _of_record(record)
        for remark in plan.remarks:
            note(remark)
        return _train(plan, record=record, directory=directory, options=options, place=place, heartbeat=heartbeat)


def _earlier_record(directory: Path, *, options: TrainOptions) -> RunRecord | None:
    """The record of the run to go on with. `--fresh` passes over those that another command has begun."""
    if not options.fresh:
        return read_record(directory)
    orders = orders_of_supervisor()
    if orders is None:
        return None
    record = read_record(directory)
    return record if record is not None and record.run == orders.run else None


def training_args(plan: Plan) -> TrainArgs:
    args = plan.job.job_detail.train_args
    assert args is not None, "the job file was checked"
    return args


def checkpoint_directory(plan: Plan) -> Path:
    return plan.paths.in_data(training_args(plan).ckpt_path)


def _train(
    plan: Plan,
    *,
    record: RunRecord | None,
    directory: Path,
    options: TrainOptions,
    place: Place | None,
    heartbeat: Heartbeat,
) -> TrainResult:
    workers = join_others(place, plan=plan)
    from runyard.checkpoint.store import begin_anew, refuse_orphans
    from runyard.training.randomness import draw_seed
    from runyard.training.workers import wait_for_all

    args = training_args(plan)
    shown = resolved_job(plan.job, plan.paths)
    earlier = record
    devices = devices_of(args, place=place)
    if earlier is None:
        refuse_orphans(directory, fresh=options.fresh)
        seed = args.seed if args.seed is not None else draw_seed()
        shards = shards_to_begin_with(workers)
        record = new_record(seed=seed, now=plan.now, job=shown, args=args, shards=shards, replicas=devices)
    else:
        record = of_job_as_it_is(earlier, job=shown, args=args, directory=directory)
        record = go_on_with(record, workers=workers, devices=devices, directory=directory)
    lead = _Lead(record.seed, record.now, record.shards, record.replicas)
    lead.tell(workers)
    with refusing_lost_servers(workers):
        assembled = _assemble(plan, lead=lead, options=options, workers=workers, heartbeat=heartbeat)
    assembled.meet()
    if earlier is None:
        # Only now that the new run can start is the old one thrown away.
        begin_anew(directory)
    if record != earlier:
        record.write(directory)
    with assembled.active(), refusing_lost_servers(workers):
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
    wait_for_all(workers)
    dismiss_others(workers)
    return _of_record(record.with_result(result))


@dataclass(frozen=True)
class _Lead:
    """What the chief tells the others before anything is made: what a run draws once."""

    seed: int
    now: str
    shards: int
    replicas: int
    finished: bool = False

    def tell(self, workers: "Workers") -> None:
        workers.broadcast(json.dumps(astuple(self)).encode())

    @classmethod
    def heard(cls, workers: "Workers") -> "_Lead":
        return cls(*json.loads(workers.broadcast(b"")))


def _assemble(
    plan: Plan, *, lead: _Lead, options: TrainOptions, workers: "Workers", heartbeat: Heartbeat
) -> "Assembled":
    from runyard.runner.assembly import assemble
    from runyard.training.division import Division

    return assemble(
        plan,
        seed=lead.seed,
        directory=checkpoint_directory(plan),
        options=options,
        workers=workers,
        division=Division(lead.shards, lead.replicas),
        heartbeat=heartbeat,
    )


def _tell_finished(plan: Plan, *, place: Place | None) -> None:
    if place is not None:
        workers = join_others(place, plan=plan)
        from runyard.training.workers import wait_for_all

        _Lead(0, plan.now.isoformat(), 1, 1, finished=True).tell(workers)
        wait_for_all(workers)
        dismiss_others(workers)


def _follow(
    request: JobRequest, *, plan: Plan, options: TrainOptions, place: Place, heartbeat: Heartbeat
) -> TrainResult:
    """The part of every other worker: it trains with the chief, and writes nothing."""
    workers = join_others(place, plan=plan)
    from runyard.training.workers import wait_for_all

    lead = _Lead.heard(workers)
    if lead.finished:
        wait_for_all(workers)
        return TrainResult("the run is finished")
    plan = plan_job(replace(request, now=datetime.fromisoformat(lead.now)), tasks={Task.TRAIN})
    assembled = _assemble(plan, lead=lead, options=options, workers=workers, heartbeat=heartbeat)
    assembled.meet()
    with assembled.active():
        outcome = assembled.fit()
    wait_for_all(workers)
    return TrainResult(outcome.reason, outcome.epochs, outcome.step, outcome.results)


def _of_record(record: RunRecord) -> TrainResult:
    result = record.result or {}
    return TrainResult(
        result["reason"], result["epochs"], result["step"], result["results"], models=tuple(result["models"])
    )
