"""The checkpoints of a run: taken when they are due, written in the background, brought back at the start."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from runyard.checkpoint.misfit import refuse_misfit
from runyard.checkpoint.policy import CheckpointPolicy
from runyard.checkpoint.state import Stateful, describe_tensor, restore_snapshot, take_snapshot
from runyard.checkpoint.store import CheckpointStore
from runyard.checkpoint.writer import BackgroundWriter
from runyard.config.train_args import Checkpoint
from runyard.telemetry import note, say
from runyard.training.division import UNDIVIDED, Division
from runyard.training.other_driver import refuse_other_driver
from runyard.training.shard_state import refuse_other_division, shared_snapshot
from runyard.training.workers import ALONE, Workers, is_chief, wait_for_all

_OF_FIXED_SHAPE = ("model/", "replicas/", "optimizer_", "update/")


class Checkpoints:
    """Saves and restores the parts of a run.

    With several workers all call the same methods at the same time: they have parts of their own to tell, or to get
    back. The chief writes and reads.
    """

    writes = True

    def __init__(
        self,
        directory: Path,
        *,
        config: Checkpoint,
        parts: Mapping[str, Stateful],
        published: Callable[[Path], None],
        workers: Workers = ALONE,
        division: Division = UNDIVIDED,
    ) -> None:
        self._workers = workers
        self._division = division
        self._directory = directory
        self._store = CheckpointStore(directory, keep=config.keep)
        self._parts = parts
        self._published = published
        self._untold: list[Path] = []
        """Written, but not yet told to whoever wants to know."""
        self._last_begun: tuple[int, int | None] | None = None
        self._writer = BackgroundWriter(self._store, written=lambda path, step: self._untold.append(path))
        self._policy = CheckpointPolicy(
            config.every_steps, config.every_seconds, config.every_epochs, last_time=time.monotonic()
        )

    def restore(self) -> int | None:
        """Goes back to the newest checkpoint that is whole; its step, or None if there is none.

        Raises:
            CheckpointError: if it is of another model or optimizer, or of another number of shards.
        """
        found = self._store.newest(warn=note) if is_chief(self._workers) else None
        if found is not None:
            refuse_other_driver(found.values, workers=self._workers, where=str(found.path))
            refuse_other_division(found.values, division=self._division, where=str(found.path))
            refuse_misfit(_fixed(found.tensors), _fixed(self._shapes()), where=str(found.path))
        snapshot = shared_snapshot(found.load() if found else None, workers=self._workers)
        if snapshot is None:
            return None
        for part in restore_snapshot(snapshot, self._parts):
            note(f"the checkpoint holds no state of {part}: it starts anew")
        step = int(snapshot.values["fit"]["step"]) if found is None else found.step
        self._policy.written(step=step, now=time.monotonic())
        return step

    def due(self, *, step: int, epochs_done: int | None = None) -> bool:
        """Whether to begin one now. If the last is still being written, it is left out."""
        self._tell()
        now = time.monotonic()
        if not self._policy.due(step=step, now=now, epochs_done=epochs_done):
            return False
        self._policy.written(step=step, now=now)
        busy = self._writer.busy
        if busy:
            say(f"checkpoint at step {step} left out: the last one is still being written")
        return not busy

    def begin(self, *, step: int, epochs_done: int | None = None) -> None:
        """Begins to write one, in the background."""
        self._submit(step=step)
        self._last_begun = (step, epochs_done)

    def save_and_wait(self, *, step: int) -> None:
        """Writes one now, whatever is due.

        Raises:
            StorageError: if it, or the one before it, could not be written.
        """
        self._writer.wait()
        self._submit(step=step)
        self.wait()
        wait_for_all(self._workers)

    def finish(self, *, step: int, epochs_done: int) -> None:
        """Makes sure that the last state of the run is saved."""
        self.wait()
        if self._last_begun != (step, epochs_done):
            self.save_and_wait(step=step)
            self._last_begun = (step, epochs_done)

    def wait(self) -> None:
        """Waits until everything is written."""
        self._writer.wait()
        self._tell()

    def abandon(self) -> None:
        """After a failure: lets the last one be finished, without minding how."""
        self._writer.join_quietly()

    def _submit(self, *, step: int) -> None:
        snapshot = take_snapshot(self._parts)
        if is_chief(self._workers):
            self._writer.submit(snapshot, step=step)

    def _tell(self) -> None:
        self._writer.raise_failure()
        while self._untold:
            self._published(self._untold.pop(0))

    def _shapes(self) -> dict[str, dict[str, Any]]:
        return {
            f"{part}/{name}": describe_tensor(tensor)
            for part, holder in self._parts.items()
            if f"{part}/".startswith(_OF_FIXED_SHAPE)
            for name, tensor in holder.tensors().items()
        }


def _fixed(tensors: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """What must be the same in checkpoint and job. Rows that a metric has gathered may be any number."""
    return {name: shape for name, shape in tensors.items() if name.startswith(_OF_FIXED_SHAPE)}
