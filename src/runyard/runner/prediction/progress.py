"""How far a prediction is, for a person who waits."""

import math
import time
from collections.abc import Callable

from runyard.telemetry import say
from runyard.telemetry.progress import ProgressBar, Standing, bar_is_possible, unfinished_line

_DRAW_SECONDS = 0.2
_LINE_SECONDS = 60.0


class PredictProgress:
    """A bar on a terminal, a line a minute elsewhere, while the block runs.

    Args:
        rows: that an earlier run has done.
        of_batches: how many there are in all, where that is known.
    """

    def __init__(self, *, rows: int, of_batches: int | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._before = rows
        self._of_batches = of_batches
        self._bar = ProgressBar() if bar_is_possible() else None
        self._started = self._said = clock()
        self._drawn = -math.inf

    def __enter__(self) -> "PredictProgress":
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def tell(self, rows: int, batches: int) -> None:
        """Shows so many rows and batches as done."""
        now = self._clock()
        if self._bar is not None and now - self._drawn >= _DRAW_SECONDS:
            self._bar.show(self._standing(rows, batches, now=now))
            self._drawn = now
        elif self._bar is None and now - self._said >= _LINE_SECONDS:
            say(unfinished_line(self._standing(rows, batches, now=now)))
            self._said = now

    def _standing(self, rows: int, batches: int, *, now: float) -> Standing:
        seconds = max(now - self._started, 1e-6)
        speed = (rows - self._before) / seconds
        left = None
        if self._of_batches is not None and speed:
            left = max(self._of_batches - batches, 0) * rows / max(batches, 1) / speed
        return Standing(
            epoch=1,
            epochs=1,
            batches=batches,
            of_batches=self._of_batches,
            seconds=seconds,
            rows_per_second=speed,
            left_seconds=left,
            task="predicting",
        )
