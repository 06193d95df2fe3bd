"""How far the training is, for a person who waits."""

import math
import time
from collections.abc import Callable, Mapping
from typing import Any

from runyard.telemetry import say
from runyard.telemetry.progress import ProgressBar, Standing, bar_is_possible, finished_line, unfinished_line
from runyard.training.observers.base import ROWS, Observer, Run, without_rows
from runyard.training.observers.numbers import show_numbers

_DRAW_SECONDS = 0.2
_READ_SECONDS = 1.0
_LINE_SECONDS = 60.0
_SPEED_SECONDS = 5.0


class ProgressObserver(Observer):
    """A bar on a terminal; elsewhere a line for each epoch, and one a minute while an epoch takes longer.

    Args:
        steps_per_epoch: None if it is not known before the first epoch is over.
        batch_size: rows of a step, over all replicas.
    """

    def __init__(
        self,
        *,
        epochs: int,
        steps_per_epoch: int | None,
        batch_size: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._epochs = epochs
        self._steps_per_epoch = steps_per_epoch
        self._batch_size = batch_size
        self._clock = clock
        self._bar = ProgressBar() if bar_is_possible() else None
        self._seconds = 0.0
        self._speed = 0.0
        self._numbers = ""
        self._drawn = self._read = -math.inf
        self._said = clock()

    def on_train_begin(self, run: Run) -> None:
        self._said = self._clock()
        if self._bar is not None:
            self._bar.show(self._standing(run))

    def on_steps(self, run: Run, *, steps: int, seconds: float) -> None:
        self._seconds += seconds
        self._learn_speed(steps=steps, seconds=seconds)
        now = self._clock()
        complete = run.batch == self._steps_per_epoch
        if self._bar is not None and (complete or now - self._drawn >= _DRAW_SECONDS):
            self._read_numbers(run, now=now)
            self._bar.show(self._standing(run))
            self._drawn = now
        elif self._bar is None and now - self._said >= _LINE_SECONDS:
            self._read_numbers(run, now=now)
            say(unfinished_line(self._standing(run)))
            self._said = now

    def on_epoch_end(self, run: Run, results: Mapping[str, Any]) -> None:
        self._steps_per_epoch = run.batch
        rows = int(results.get(ROWS, run.batch * self._batch_size))
        say(
            finished_line(
                Standing(
                    epoch=run.epoch + 1,
                    epochs=self._epochs,
                    batches=run.batch,
                    of_batches=run.batch,
                    seconds=self._seconds,
                    rows_per_second=rows / self._seconds if self._seconds else 0.0,
                    numbers=_shown(results),
                )
            )
        )
        self._seconds, self._said, self._numbers = 0.0, self._clock(), ""
        self._drawn = self._read = -math.inf

    def on_train_end(self, run: Run) -> None:
        if self._bar is not None:
            self._bar.stop()

    def values(self) -> Mapping[str, Any]:
        return {"seconds": self._seconds, "steps_per_epoch": self._steps_per_epoch}

    def restore(self, tensors: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        self._seconds = float(values.get("seconds", 0.0))
        self._steps_per_epoch = values.get("steps_per_epoch", self._steps_per_epoch)

    def _standing(self, run: Run) -> Standing:
        total = self._steps_per_epoch
        left = max(total - run.batch, 0) / self._speed if total is not None and self._speed else None
        return Standing(
            epoch=min(run.epoch + 1, self._epochs),
            epochs=self._epochs,
            batches=run.batch,
            of_batches=total,
            seconds=self._seconds,
            rows_per_second=self._speed * self._batch_size,
            left_seconds=left,
            numbers=self._numbers,
        )

    def _learn_speed(self, *, steps: int, seconds: float) -> None:
        """Steps per second over the last few seconds: the first call, which traces, is soon forgotten."""
        if steps <= 0 or seconds <= 0:
            return
        share = 1 - math.exp(-seconds / _SPEED_SECONDS) if self._speed else 1.0
        self._speed += share * (steps / seconds - self._speed)

    def _read_numbers(self, run: Run, *, now: float) -> None:
        """Reading metrics takes time, so they may be a second old."""
        if now - self._read >= _READ_SECONDS:
            self._numbers = _shown(run.results())
            self._read = now


def _shown(results: Mapping[str, Any]) -> str:
    return show_numbers(without_rows(results))
