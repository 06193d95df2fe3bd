"""`metrics.jsonl`: one JSON object per epoch, for programs that draw curves."""

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runyard.checkpoint.durable import storage_errors
from runyard.checkpoint.json_numbers import without_nan
from runyard.training.observers.base import ROWS, Observer, Run, without_rows


class MetricLog(Observer):
    """Appends a line after each epoch. A resumed run first cuts off what was written after its checkpoint."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._size = 0
        self._epoch_seconds = 0.0
        self._training_seconds = 0.0
        self._started = time.monotonic()

    def on_train_begin(self, run: Run) -> None:
        with storage_errors(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.touch()
            os.truncate(self._path, min(self._size, self._path.stat().st_size))
        self._started = time.monotonic() - self._epoch_seconds

    def on_steps(self, run: Run, *, steps: int, seconds: float) -> None:
        self._training_seconds += seconds

    def on_epoch_end(self, run: Run, results: Mapping[str, Any]) -> None:
        rows = results.get(ROWS, 0)
        line = {
            "epoch": run.epoch + 1,
            "step": run.step,
            "seconds": round(time.monotonic() - self._started, 3),
            "samples_per_second": round(rows / self._training_seconds, 1) if self._training_seconds else None,
            **without_rows(results),
        }
        with storage_errors(self._path), self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(without_nan(line), allow_nan=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
            self._size = file.tell()
        self._started, self._training_seconds, self._epoch_seconds = time.monotonic(), 0.0, 0.0

    def values(self) -> Mapping[str, Any]:
        return {
            "size": self._size,
            "epoch_seconds": time.monotonic() - self._started,
            "training_seconds": self._training_seconds,
        }

    def restore(self, tensors: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        self._size = int(values["size"])
        self._epoch_seconds = float(values["epoch_seconds"])
        self._training_seconds = float(values["training_seconds"])
