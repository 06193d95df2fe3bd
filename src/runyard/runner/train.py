"""`runyard train`: load, build, fit, save."""

from pathlib import Path

from runyard.checkpoint.lock import RunLock
from runyard.checkpoint.record import RunRecord
from runyard.cluster import Heartbeat, Place
from runyard.config import JobRequest, resolved_job
from runyard.runner.dated_runs import begun_under_another_date
from runyard.runner.following import follow
from runyard.runner.membership import (
    dismiss_others,
    join_others,
    orders_of_supervisor,
    place_in_cluster,
    refusing_lost_servers,
    serve_others,
)
from runyard.runner.plan import Plan, plan_training
from runyard.runner.run_record import finished_message, is_complete, note_changes_of_finished
from runyard.runner.run_terms import RunTerms, tell_finished
from runyard.runner.supervising import run_workers
from runyard.runner.throwaway_training import overfit, rehearse
from runyard.runner.train_options import TrainOptions
from runyard.runner.train_result import TrainResult, finished
from runyard.runner.which_run import earlier_record, record_to_train_with
from runyard.telemetry import note, say


def train(request: JobRequest, options: TrainOptions) -> TrainResult:
    """Trains a job to its end, from wherever an earlier run of it stopped.

    With several workers this process supervises them, unless TF_CONFIG or the flags say that it is one of them.

    Raises:
        RunyardError: the kind says what went wrong; see `errors`.
        SystemExit: if workers have failed. What they said has been shown then.
    """
    orders = orders_of_supervisor()
    plan = plan_training(request, now=orders.moment if orders is not None else None)
    if plan.job.skip:
        return TrainResult("the job says skip")
    place = place_in_cluster(plan, flags=options.flags)
    if options.overfit_batches is not None:
        return overfit(plan, options, place=place)
    if place is None and plan.needs_others:
        run_workers(request, plan=plan, options=options)
        return TrainResult("the workers have told the rest", told=True)
    heartbeat = Heartbeat.of_this_process()
    with heartbeat.working():
        if place is not None and place.cluster.ps and not place.is_chief:
            serve_others(place, plan=plan)
            return TrainResult("the coordinator has ended", told=True)
        if options.fast_dev_run:
            return rehearse(plan, options, place=place, heartbeat=heartbeat)
        if place is not None and not place.is_chief:
            return follow(request, plan=plan, options=options, place=place, heartbeat=heartbeat)
        return _lead(request, plan=plan, options=options, place=place, heartbeat=heartbeat)


def _lead(
    request: JobRequest, *, plan: Plan, options: TrainOptions, place: Place | None, heartbeat: Heartbeat
) -> TrainResult:
    """The part of a process that works alone, or that is the chief of several: it reads, writes and decides."""
    begun = None if options.fresh else begun_under_another_date(request, plan)
    if begun is not None:
        plan = plan_training(request, now=begun.moment)
        say(f"Going on with the run of {begun.moment:%Y-%m-%d %H:%M}, which is not finished; --fresh begins today's.")
    directory = plan.checkpoint_directory
    with RunLock(directory):
        earlier = earlier_record(directory, fresh=options.fresh, paths=plan.paths)
        if earlier is not None:
            plan = plan_training(request, now=earlier.moment)
            if is_complete(earlier, args=plan.train_args, max_steps=options.max_steps):
                return _nothing_left(plan, record=earlier, directory=directory, place=place)
        for remark in plan.remarks:
            note(remark)
        return _train(plan, earlier=earlier, directory=directory, options=options, place=place, heartbeat=heartbeat)


def _train(
    plan: Plan,
    *,
    earlier: RunRecord | None,
    directory: Path,
    options: TrainOptions,
    place: Place | None,
    heartbeat: Heartbeat,
) -> TrainResult:
    """Trains, from the record of the run to the record of what came out of it."""
    workers = join_others(place, plan=plan)
    from runyard.checkpoint.store import begin_anew
    from runyard.runner.assembly import assemble
    from runyard.training.workers import wait_for_all

    record = record_to_train_with(
        plan, earlier=earlier, directory=directory, fresh=options.fresh, workers=workers, place=place
    )
    terms = RunTerms.of_record(record)
    terms.tell(workers)
    with refusing_lost_servers(workers):
        training = assemble(
            plan,
            seed=terms.seed,
            directory=directory,
            options=options,
            workers=workers,
            division=terms.division,
            heartbeat=heartbeat,
        )
    training.meet()
    if earlier is None:
        # Only now that the new run can start is the old one thrown away.
        begin_anew(directory)
    if record != earlier:
        record.write(directory)
    with training.active(), refusing_lost_servers(workers):
        outcome = training.fit()
        models = training.save(outcome)
    record = finished(record, outcome=outcome, models=models)
    record.write(directory)
    wait_for_all(workers)
    dismiss_others(workers)
    return TrainResult.of_record(record)


def _nothing_left(plan: Plan, *, record: RunRecord, directory: Path, place: Place | None) -> TrainResult:
    """The run is finished, and the command asks for no more than that: nothing is trained."""
    tell_finished(plan, place=place)
    continues = bool(plan.job.job_detail.model_args.get("continue_training"))
    note_changes_of_finished(record, job=resolved_job(plan.job, plan.paths))
    say(finished_message(record, directory=directory, continues=continues))
    return TrainResult.of_record(record)
