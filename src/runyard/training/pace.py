"""How many steps go into one call: many, so that calls cost nothing, but never so many that a call takes long."""

from dataclasses import dataclass

_LONGEST_CALL_SECONDS = 0.5
_AIM_SECONDS = 0.25
_LARGEST_GROWTH = 8
_MOST_STEPS = 100_000


@dataclass
class Pace:
    """Learns from each call how long a step takes.

    Args:
        fixed: the number of steps per call that the user asks for, or None to find it out.
    """

    fixed: int | None = None
    _steps: int = 1

    @property
    def steps(self) -> int:
        """Steps for the next call, before it is cut at a boundary."""
        return self.fixed or self._steps

    def learn(self, *, steps: int, seconds: float) -> None:
        """Takes in what a call of so many steps took.

        Growth is limited because the first calls say little: they trace, and fill buffers.
        """
        if self.fixed is not None or steps <= 0 or seconds <= 0:
            return
        fitting = int(_AIM_SECONDS * steps / seconds)
        if seconds > _LONGEST_CALL_SECONDS or fitting < self._steps // 2:
            self._steps = max(1, fitting)
        elif steps == self._steps:
            self._steps = max(1, min(fitting, self._steps * _LARGEST_GROWTH, _MOST_STEPS))
