"""A bar below the lines, on a terminal."""

import time
from typing import Any

from runyard.telemetry.progress import ProgressBar, Standing, bar_is_possible

_SECONDS_BETWEEN = 0.2


class Progress:
    """How far the run is.

    Args:
        first: the step that it begins with.
        limit: the step that it ends before; None if the input decides.
    """

    def __init__(self, task: str, *, first: int, limit: int | None, rows_per_step: int) -> None:
        self._bar = ProgressBar() if bar_is_possible() else None
        self._task, self._first, self._limit, self._rows = task, first, limit, rows_per_step
        self._begun = time.monotonic()
        self._drawn = self._begun

    def show(self, step: int) -> None:
        """Called after every session call with the number of steps that are done."""
        now = time.monotonic()
        if self._bar is None or now - self._drawn < _SECONDS_BETWEEN:
            return
        self._drawn = now
        seconds = now - self._begun
        speed = (step - self._first) / seconds
        left = None if self._limit is None or not speed else (self._limit - step) / speed
        self._bar.show(
            Standing(
                epoch=1,
                epochs=1,
                batches=step,
                of_batches=self._limit,
                seconds=seconds,
                rows_per_second=speed * self._rows,
                left_seconds=left,
                task=self._task,
            )
        )

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: Any) -> None:
        if self._bar is not None:
            self._bar.stop()
