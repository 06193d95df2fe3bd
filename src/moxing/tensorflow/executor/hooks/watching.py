"""Whether a number still gets better, and what follows if it does not. No TensorFlow here."""

import math
from collections.abc import Sequence
from enum import Enum

from moxing.tensorflow.executor.failures import WrongValue

_BETTER_WHEN_LARGER = ("acc", "auc", "precision", "recall", "fmeasure", "f1", "top1", "top5", "top_")
_MODES = ("auto", "min", "max")


def larger_is_better(monitor: str, *, mode: str) -> bool:
    """Whether a number should grow.

    Args:
        mode: min, max, or auto to tell by its name.

    Raises:
        WrongValue: a ValueError, for another mode.
    """
    if mode not in _MODES:
        raise WrongValue(f"mode={mode!r} of an evaluation hook", hint=f"it is one of {', '.join(_MODES)}")
    if mode == "auto":
        return any(part in monitor.lower() for part in _BETTER_WHEN_LARGER)
    return mode == "max"


class Best:
    """The best value up to now.

    Args:
        min_delta: an improvement by less is none.
    """

    def __init__(self, *, larger: bool, min_delta: float) -> None:
        self._sign = 1.0 if larger else -1.0
        self._min_delta = abs(min_delta)
        self._best = -math.inf

    @property
    def numbers(self) -> list[float]:
        """What it knows; `recall` takes it up again."""
        return [self._best]

    def recall(self, numbers: Sequence[float]) -> None:
        (self._best,) = numbers

    def improved(self, value: float) -> bool:
        """Whether this value is better than all before it. The first one is; one that is no number never is."""
        better = self._sign * value - self._min_delta > self._best
        if better:
            self._best = self._sign * value
        return better


class EarlyStop:
    """Stops after `patience` values in a row without an improvement."""

    def __init__(self, best: Best, *, patience: int) -> None:
        self._best, self._patience = best, patience
        self._waited = 0

    @property
    def numbers(self) -> list[float]:
        """What it knows; `recall` takes it up again."""
        return [*self._best.numbers, self._waited]

    def recall(self, numbers: Sequence[float]) -> None:
        *best, waited = numbers
        self._best.recall(best)
        self._waited = int(waited)

    def should_stop(self, value: float) -> bool:
        """Looks at the next value."""
        if self._best.improved(value):
            self._waited = 0
            return False
        self._waited += 1
        return self._waited >= self._patience


class Decision(Enum):
    """What a plateau means."""

    GO_ON = "go on"
    LOWER = "lower the learning rate"
    STOP = "stop"


class Plateau:
    """Lowers the learning rate after `patience` values without an improvement; stops after several such plateaus.

    Args:
        cooldown: values after a lowering that are not counted.
        stop_after: plateaus in a row, without an improvement between them.
    """

    def __init__(self, best: Best, *, patience: int, cooldown: int, stop_after: int) -> None:
        self._best, self._patience, self._cooldown, self._stop_after = best, patience, cooldown, stop_after
        self._waited = self._cooling = self._plateaus = 0

    @property
    def numbers(self) -> list[float]:
        """What it knows; `recall` takes it up again."""
        return [*self._best.numbers, self._waited, self._cooling, self._plateaus]

    def recall(self, numbers: Sequence[float]) -> None:
        *best, waited, cooling, plateaus = numbers
        self._best.recall(best)
        self._waited, self._cooling, self._plateaus = int(waited), int(cooling), int(plateaus)

    def decide(self, value: float) -> Decision:
        """Looks at the next value."""
        if self._best.improved(value):
            self._waited = self._cooling = self._plateaus = 0
            return Decision.GO_ON
        if self._cooling > 0:
            self._cooling -= 1
            return Decision.GO_ON
        self._waited += 1
        if self._waited < self._patience:
            return Decision.GO_ON
        self._waited, self._cooling = 0, self._cooldown
        self._plateaus += 1
        return Decision.STOP if self._plateaus >= self._stop_after else Decision.LOWER
