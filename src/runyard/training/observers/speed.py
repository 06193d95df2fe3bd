"""A line with the speed, every so many batches."""

from collections.abc import Callable

from runyard.config.plugins import TrainSpeedLogger
from runyard.training.boundaries import Every
from runyard.training.observers.base import Observer, Run
from runyard.training.observers.numbers import show_numbers


class SpeedObserver(Observer):
    """Says steps and rows per second since the last line, and the metrics if asked."""

    def __init__(self, config: TrainSpeedLogger, *, batch_size: int, say: Callable[[str], None]) -> None:
        self._config = config
        self._batch_size = batch_size
        self._say = say
        self._steps = 0
        self._seconds = 0.0
        self.boundaries = [Every(config.every_batches)]

    def on_steps(self, run: Run, *, steps: int, seconds: float) -> None:
        self._steps += steps
        self._seconds += seconds
        if run.step % self._config.every_batches or not self._steps:
            return
        rate = self._steps / self._seconds if self._seconds else float("inf")
        line = f"epoch {run.epoch + 1} batch {run.batch}: {rate:.1f} batches/s, {rate * self._batch_size:,.0f} rows/s"
        if self._config.with_metrics:
            line += f", {show_numbers(run.results())}"
        self._say(line)
        self._steps, self._seconds = 0, 0.0
