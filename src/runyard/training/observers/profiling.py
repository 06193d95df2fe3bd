"""TensorFlow's profiler, from one step to another."""

from pathlib import Path

import tensorflow as tf

from runyard.telemetry import note
from runyard.training.boundaries import At, Boundary


class ProfiledSteps:
    """Profiles the steps `first` to `last`, counted from 1. A profiler that fails costs the profile, not the run."""

    def __init__(self, *, first: int, last: int, directory: Path) -> None:
        self._before = max(first - 1, 0)
        self._last = last
        self._directory = directory
        self._running = False

    @property
    def boundaries(self) -> list[Boundary]:
        """Steps at which `reached` must be called."""
        return [At(self._before), At(self._last)] if self._last else []

    def reached(self, step: int) -> None:
        if self._running and step >= self._last:
            self.stop()
        elif not self._running and self._last and step == self._before:
            self._start()

    def stop(self) -> None:
        if not self._running:
            return
        self._running = False
        try:
            tf.profiler.experimental.stop()
        except Exception as error:
            note(f"the profile was not written: {error}")

    def _start(self) -> None:
        try:
            tf.profiler.experimental.start(str(self._directory))
            self._running = True
        except Exception as error:
            note(f"the profiler did not start: {error}")
