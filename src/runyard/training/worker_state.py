"""What each worker has of its own, in the one checkpoint that the chief writes.

Most of a training is the same on all workers. Not the same are the position in the data, the metrics of an epoch that
is not over, random states, and what layers such as BatchNormalization have seen. Workers may share no disk, so they
send theirs to the chief.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from runyard.checkpoint.state import Snapshot, Stateful, take_snapshot
from runyard.checkpoint.transport import as_bytes, from_bytes
from runyard.errors import CheckpointError
from runyard.training.workers import Workers, is_chief

PART = "workers"


@dataclass(frozen=True)
class WorkerStates:
    """The part of a checkpoint that holds what the other workers have of their own.

    Args:
        own: parts of which each worker has its own. The chief's are in the checkpoint under their own names.
    """

    workers: Workers
    own: Mapping[str, Stateful]

    def tensors(self) -> Mapping[str, Any]:
        """Gathered from all; nothing but on the chief."""
        gathered = self.workers.gather(b"" if is_chief(self.workers) else as_bytes(take_snapshot(self.own)))
        if not is_chief(self.workers):
            return {}
        return {_name(index): tf.constant(data) for index, data in enumerate(gathered) if index}

    def values(self) -> Mapping[str, Any]:
        return {"size": self.workers.size}

    def restore(self, tensors: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        """Nothing: `mine_of` has given each part its own before."""


def shared_snapshot(snapshot: Snapshot | None, *, workers: Workers) -> Snapshot | None:
    """The chief's snapshot, on every worker, with what that worker has of its own in place of the chief's."""
    if workers.size == 1:
        return snapshot
    data = workers.broadcast(b"" if snapshot is None else as_bytes(snapshot))
    return mine_of(from_bytes(data), index=workers.index) if data else None


def mine_of(snapshot: Snapshot, *, index: int) -> Snapshot:
    """What worker `index` goes back to."""
    if index == 0:
        return snapshot
    mine = from_bytes(snapshot.tensors[f"{PART}/{_name(index)}"].numpy())
    # What a metric has gathered may be more on the chief than here.
    replaced = tuple(f"{part}/" for part in mine.values if part != "model")
    kept = {name: tensor for name, tensor in snapshot.tensors.items() if not name.startswith(replaced)}
    return Snapshot({**kept, **mine.tensors}, {**snapshot.values, **mine.values})


def refuse_other_size(values: Mapping[str, Any], *, workers: Workers, where: str) -> None:
    """A checkpoint of so many workers is of no use to more or fewer: each goes on at its own place in the data.

    Raises:
        CheckpointError: if there were more or fewer.
    """
    saved = int(values.get(PART, {}).get("size", 1))
    if saved != workers.size:
        raise CheckpointError(
            f"the checkpoint in {where} is of a run with {_counted(saved)}, this one has {_counted(workers.size)}",
            hint=f"go on with --workers {saved}, choose another ckpt_path, or start over with --fresh",
        )


def _name(index: int) -> str:
    return f"{index:05d}"


def _counted(workers: int) -> str:
    return "1 worker" if workers == 1 else f"{workers} workers"
