"""How the rows of a run are divided: decided when it begins, and kept when it goes on with other processes."""

from dataclasses import replace
from pathlib import Path

from runyard.checkpoint.record import RunRecord
from runyard.errors import CheckpointError
from runyard.telemetry import say


def go_on_with(record: RunRecord, *, workers: int, devices: int, directory: Path) -> RunRecord:
    """The record of a run that so many workers go on with.

    Fewer workers than it began with share its shards among them. More can only begin.

    Raises:
        CheckpointError: if there are more, and the run has a checkpoint.
    """
    from runyard.checkpoint.store import CheckpointStore
    from runyard.training.shard_state import counted_workers

    if workers > record.shards:
        if CheckpointStore(directory, keep=1).any():
            raise CheckpointError(
                f"this run began with {counted_workers(record.shards)}, which divide its data among them; "
                f"it cannot go on with {workers}",
                hint=f"go on with --workers {record.shards}, choose another ckpt_path, or start over with --fresh",
            )
        return replace(record, shards=workers, replicas=devices)
    if workers < record.shards:
        say(
            f"This run began with {counted_workers(record.shards)} and goes on with {workers}, "
            f"{'which does' if workers == 1 else 'which do'} the work of all: the same steps, on the same rows."
        )
    if devices != record.replicas:
        say(
            f"This run began with {record.replicas} devices for each worker, and goes on with {devices}: "
            "its batches stay divided into as many parts as it began with."
        )
    return record
