"""How the rows of a run are divided: decided when it begins, and kept when it goes on with other processes."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from runyard.checkpoint.record import RunRecord
from runyard.errors import CheckpointError
from runyard.runner.membership import orders_of_supervisor
from runyard.telemetry import note, say

if TYPE_CHECKING:
    from runyard.training.workers import Workers


def shards_to_begin_with(workers: "Workers") -> int:
    """One for each worker, those included that a supervisor has lost before the run could begin."""
    from runyard.training.coordinator import Coordinator

    orders = orders_of_supervisor()
    if orders is None or isinstance(workers, Coordinator):
        return workers.size
    return max(workers.size, orders.workers)


def go_on_with(record: RunRecord, *, workers: "Workers", devices: int, directory: Path) -> RunRecord:
    """The record of a run that so many workers go on with.

    Fewer workers than it began with share its shards among them. More can only begin, and so can parameter servers. A
    run without a checkpoint begins anew, divided as suits those who are there.

    Args:
        devices: that each worker has now.

    Raises:
        CheckpointError: if there are more, or parameter servers, and the run has a checkpoint.
    """
    from runyard.checkpoint.store import CheckpointStore
    from runyard.training.coordinator import Coordinator
    from runyard.training.other_driver import refuse_other_driver
    from runyard.training.shard_state import counted_workers

    size, planned = workers.size, shards_to_begin_with(workers)
    begun_otherwise = isinstance(workers, Coordinator) and (record.shards, record.replicas) != (1, 1)
    if (planned, devices) == (record.shards, record.replicas) and size == planned:
        return record
    found = CheckpointStore(directory, keep=1).newest(warn=note)
    if found is None:
        return replace(record, shards=planned, replicas=devices)
    if size > record.shards or begun_otherwise:
        refuse_other_driver(found.values, workers=workers, where=str(found.path))
        fewer = " or fewer" if record.shards > 1 else ""
        raise CheckpointError(
            f"this run began with {counted_workers(record.shards)}, so its data cannot be divided among {size} now",
            hint=f"go on with --workers {record.shards}{fewer}, choose another ckpt_path, or start over with --fresh",
        )
    if size < record.shards:
        say(
            f"This run began with {counted_workers(record.shards)} and goes on with {size}, "
            f"{'which does' if size == 1 else 'which do'} the work of all: the same steps, on the same rows."
        )
    if devices != record.replicas:
        say(
            f"This run began with {record.replicas} devices for each worker, and goes on with {devices}: "
            "its batches stay divided into as many parts as it began with."
        )
    return record
