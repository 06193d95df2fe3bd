"""When a checkpoint is due: a small pure object."""

from dataclasses import dataclass


@dataclass
class CheckpointPolicy:
    """Remembers the last checkpoint and says whether the next is due. None switches a rule off."""

    every_steps: int | None
    every_seconds: float | None
    every_epochs: int | None
    last_step: int = 0
    last_time: float = 0.0

    def due(self, *, step: int, now: float, epochs_done: int | None = None) -> bool:
        """Whether to write one now.

        Args:
            epochs_done: how many epochs are done, when one has just ended; else None.
        """
        if step == self.last_step and epochs_done is None:
            return False
        if self.every_steps and step // self.every_steps > self.last_step // self.every_steps:
            return True
        if self.every_seconds and now - self.last_time >= self.every_seconds:
            return True
        return bool(self.every_epochs and epochs_done is not None and epochs_done % self.every_epochs == 0)

    def written(self, *, step: int, now: float) -> None:
        """Takes in that one has been begun, or left out because the last is still being written."""
        self.last_step, self.last_time = step, now
