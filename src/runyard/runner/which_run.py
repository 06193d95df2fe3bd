"""Which run a command is about: one that was begun earlier, or a new one."""

from pathlib import Path
from typing import TYPE_CHECKING

from runyard.checkpoint.record import RunRecord, read_record
from runyard.cluster import Place
from runyard.config import resolved_job
from runyard.config.paths import JobPaths
from runyard.runner.devices import devices_of
from runyard.runner.dividing import go_on_with, shards_to_begin_with
from runyard.runner.membership import orders_of_supervisor
from runyard.runner.moved_run import as_if_begun_here
from runyard.runner.plan import Plan
from runyard.runner.run_record import new_record, of_job_as_it_is

if TYPE_CHECKING:
    from runyard.training.workers import Workers


def earlier_record(directory: Path, *, fresh: bool, paths: JobPaths) -> RunRecord | None:
    """The record of the run to go on with. `--fresh` passes over those that another command has begun."""
    orders = orders_of_supervisor()
    if fresh and orders is None:
        return None
    record = read_record(directory)
    if record is None or (fresh and orders is not None and record.run != orders.run):
        return None
    return as_if_begun_here(record, paths=paths, directory=directory)


def record_to_train_with(
    plan: Plan,
    *,
    earlier: RunRecord | None,
    directory: Path,
    fresh: bool,
    workers: "Workers",
    place: Place | None,
) -> RunRecord:
    """The record of a new run, or of the earlier one that these processes go on with. Nothing is written yet.

    Raises:
        CheckpointError: if they cannot go on with it, or if there are checkpoints of a run without a record.
    """
    from runyard.checkpoint.store import refuse_orphans
    from runyard.training.randomness import draw_seed

    args = plan.train_args
    job = resolved_job(plan.job, plan.paths)
    devices = devices_of(args, place=place)
    if earlier is not None:
        record = of_job_as_it_is(earlier, job=job, args=args, directory=directory)
        return go_on_with(record, workers=workers, devices=devices, directory=directory)
    refuse_orphans(directory, fresh=fresh)
    return new_record(
        seed=args.seed if args.seed is not None else draw_seed(),
        now=plan.now,
        job=job,
        args=args,
        shards=shards_to_begin_with(workers),
        replicas=devices,
    )
