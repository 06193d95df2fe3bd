"""Which of two values of a metric is better."""

from collections.abc import Iterable, Mapping
from enum import Enum

from runyard.config import MetricSpec
from runyard.config.known_names import Kind, find


class Direction(Enum):
    """Where better values lie."""

    HIGHER = "higher"
    LOWER = "lower"
    NEAR_ONE = "near 1"

    def distance(self, value: float) -> float:
        """How far a value is from the best; the smallest wins."""
        return {Direction.HIGHER: -value, Direction.LOWER: value, Direction.NEAR_ONE: abs(value - 1)}[self]


_LOWER = (
    "Crossentropy",
    "Error",
    "Hinge",
    "Divergence",
    "Poisson",
    "FalsePositives",
    "FalseNegatives",
    "LogLoss",
    "ECE",
)
"""How the names of classes end whose values should be small."""


def directions(metrics: Mapping[str, MetricSpec], *, losses: Iterable[str]) -> dict[str, Direction]:
    """By name. A metric of the user's own has none: it may be anything."""
    found = dict.fromkeys(losses, Direction.LOWER)
    for name, spec in metrics.items():
        known = find(Kind.METRIC, spec.type)
        if known is not None:
            found[name] = _of_class(known.class_name)
    return found


def _of_class(name: str) -> Direction:
    if name == "Calibration":
        return Direction.NEAR_ONE
    return Direction.LOWER if name.endswith(_LOWER) else Direction.HIGHER
