"""Steps at which a call must end, because something happens there."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Every:
    """A boundary after each so many steps, counted from the start of the run."""

    steps: int

    def distance(self, step: int) -> int:
        return self.steps - step % self.steps


@dataclass(frozen=True)
class At:
    """A boundary at one step."""

    step: int

    def distance(self, step: int) -> int | None:
        return self.step - step if self.step > step else None


Boundary = Every | At


def steps_to_next(boundaries: Iterable[Boundary], *, step: int, at_most: int) -> int:
    """How many steps the next call may take without crossing a boundary."""
    distances = (boundary.distance(step) for boundary in boundaries)
    return min([at_most, *(distance for distance in distances if distance is not None)])
