"""What each shard of the data has of its own, in the one checkpoint that the chief writes.

Most of a training is the same for all. Not the same are the position in the data, random states, what layers such as
BatchNormalization have seen, and the metrics of an epoch that is not over. Workers may share no disk, so they send
theirs to the chief. Any number of workers up to that of the shards can go on from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from runyard.checkpoint.state import Snapshot, Stateful, restore_snapshot, take_snapshot
from runyard.checkpoint.transport import as_bytes, from_bytes
from runyard.errors import CheckpointError
from runyard.training.division import Division
from runyard.training.workers import Workers, is_chief

SHARDS_PART = "workers"
"""The name of that part of a checkpoint."""


@dataclass(frozen=True)
class ShardStates:
    """The part of a checkpoint that holds what all shards but the first have of their own.

    Args:
        own: the parts of each shard of this process, by its number. Those of the first shard of all are in the
            checkpoint under their own names.
    """

    workers: Workers
    division: Division
    own: Mapping[int, Mapping[str, Stateful]]

    def tensors(self) -> Mapping[str, Any]:
        """Gathered from all; nothing but on the chief."""
        mine = {_name(index): tf.constant(as_bytes(take_snapshot(own))) for index, own in self.own.items() if index}
        gathered = self.workers.gather(as_bytes(Snapshot(mine)))
        if not is_chief(self.workers):
            return {}
        return {name: tensor for data in gathered for name, tensor in from_bytes(data).tensors.items()}

    def values(self) -> Mapping[str, Any]:
        return {"size": self.division.shards}

    def restore(self, tensors: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        """`mine_of` has given this process the state of its first shard before; the others get theirs."""
        for index, own in list(self.own.items())[1:]:
            restore_snapshot(from_bytes(tensors[_name(index)].numpy()), own)


def shared_snapshot(snapshot: Snapshot | None, *, workers: Workers) -> Snapshot | None:
    """The chief's snapshot, on every worker, with what that worker has of its own in place of the chief's."""
    if workers.size == 1:
        return snapshot
    data = workers.broadcast(b"" if snapshot is None else as_bytes(snapshot))
    return mine_of(from_bytes(data), index=workers.index) if data else None


def mine_of(snapshot: Snapshot, *, index: int) -> Snapshot:
    """What a worker whose first shard is `index` goes back to."""
    if index == 0:
        return snapshot
    mine = from_bytes(snapshot.tensors[f"{SHARDS_PART}/{_name(index)}"].numpy())
    # What a metric has gathered may be more on the chief than here.
    replaced = tuple(f"{part}/" for part in mine.values if part != "model")
    kept = {name: tensor for name, tensor in snapshot.tensors.items() if not name.startswith(replaced)}
    return Snapshot({**kept, **mine.tensors}, {**snapshot.values, **mine.values})


def refuse_other_division(values: Mapping[str, Any], *, division: Division, where: str) -> None:
    """A checkpoint of so many shards is of no use to a run with more or fewer: each goes on at its own place.

    Raises:
        CheckpointError: if there were more or fewer.
    """
    saved = int(values.get(SHARDS_PART, {}).get("size", 1))
    if saved != division.shards:
        raise CheckpointError(
            f"the checkpoint in {where} is of a run that began with {counted_workers(saved)}, "
            f"this one with {counted_workers(division.shards)}",
            hint="choose another ckpt_path, or start over with --fresh",
        )


def counted_workers(number: int) -> str:
    return "1 worker" if number == 1 else f"{number} workers"


def _name(index: int) -> str:
    return f"{index:05d}"
