"""Two sides of a comparison, timed in turns so that a slow moment of the machine hits both."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

ROUNDS = 7


@dataclass(frozen=True)
class Comparison:
    """What was measured: how many times as fast the first side is."""

    name: str
    ratios: Sequence[float]
    ours: float
    theirs: float
    unit: str
    target: float

    @property
    def median(self) -> float:
        return statistics.median(self.ratios)

    @property
    def reached(self) -> bool:
        return self.median >= self.target

    def __str__(self) -> str:
        low, high = min(self.ratios), max(self.ratios)
        mark = "ok" if self.reached else "MISSED"
        return (
            f"{self.name:58s} {self.median:6.2f} x  ({low:.2f} to {high:.2f})  target {self.target:.2f}  {mark:6s}"
            f"  {self.ours:,.0f} against {self.theirs:,.0f} {self.unit}"
        )


def compare(
    name: str,
    ours: Callable[[], float],
    theirs: Callable[[], float],
    *,
    target: float,
    unit: str = "rows/s",
    rounds: int = ROUNDS,
) -> Comparison:
    """Calls both sides in turns; each returns how much it did, and is timed here, per second.

    The order changes from round to round. The first round of each side warms up and does not count.
    """
    rates: dict[str, list[float]] = {"ours": [], "theirs": []}
    for number in range(rounds + 1):
        sides = [("ours", ours), ("theirs", theirs)]
        for side, run in sides if number % 2 else reversed(sides):
            started = time.perf_counter()
            amount = run()
            rates[side].append(amount / (time.perf_counter() - started))
    mine, other = rates["ours"][1:], rates["theirs"][1:]
    ratios = [a / b for a, b in zip(mine, other, strict=True)]
    return Comparison(name, ratios, statistics.median(mine), statistics.median(other), unit, target)
