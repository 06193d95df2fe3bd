"""How long a training goes on, and where its epochs and calls end."""

import math
from dataclasses import dataclass

from runyard.training.boundaries import At, Boundary, Every


@dataclass(frozen=True)
class Limits:
    """How long a training goes on.

    Args:
        steps_per_epoch: where an epoch of an endless dataset ends; None for where the data end.
        max_steps: ends the whole run, in the middle of an epoch if need be.
        steps_per_call: None to find a good number.
        checkpoint_every: steps at which a call must end so that a checkpoint can be taken.
    """

    epochs: int
    steps_per_epoch: int | None = None
    max_steps: int | None = None
    steps_per_call: int | None = None
    checkpoint_every: int | None = None

    @property
    def boundaries(self) -> list[Boundary]:
        """Steps at which a call must end."""
        found: list[Boundary] = []
        if self.max_steps is not None:
            found.append(At(self.max_steps))
        if self.checkpoint_every is not None:
            found.append(Every(self.checkpoint_every))
        return found

    def reached(self, *, epochs: int, step: int) -> str | None:
        """Why a training that has come so far is over; None while it is not."""
        if epochs >= self.epochs:
            return f"{counted(epochs, 'epoch')} done"
        if self.max_steps is not None and step >= self.max_steps:
            return f"{counted(step, 'step')} done"
        return None

    def within_epoch(self, steps: int, *, batch: int) -> int:
        """As many of the steps as are left in an epoch that has come to this batch."""
        return steps if self.steps_per_epoch is None else min(steps, self.steps_per_epoch - batch)


def counted(number: int, noun: str) -> str:
    """`1 epoch`, `2 epochs`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def steps_in_epoch(rows: int, *, batch_size: int) -> int:
    """How many batches so many rows make."""
    return math.ceil(rows / batch_size)
