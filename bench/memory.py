"""Memory that does not grow: over a hundred thousand steps, and over four million rows of a prediction."""

import gc
import resource
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

from bench import prediction
from bench.pairs import Comparison
from bench.training import FEATURES, Ours, data, model, tf
from runyard.bridge import keras_module

EARLY, LATE = 10_000, 100_000
FEW, MANY = 1_000_000, 4_000_000


def comparisons() -> Iterator[Comparison]:
    """Growth beyond 2 % would be a leak."""
    yield _predicted()
    yield _trained()


def _trained() -> Comparison:
    """Resident memory after so many steps."""
    ours = Ours(keras_module(2), data(32))
    process = psutil.Process()
    early = late = steps = 0.0
    while steps < LATE:
        steps += ours()
        gc.collect()
        late = process.memory_info().rss / 2**20
        if not early and steps >= EARLY:
            early = late
    return Comparison(
        f"memory after {LATE:,} steps: as flat as after {EARLY:,}", [early / late], late, early, "MB", 0.98
    )


def _predicted() -> Comparison:
    """The most memory that a prediction of so many rows has ever had."""
    net = model(keras_module(2))
    most: list[float] = []
    for rows in (FEW, MANY):
        with tempfile.TemporaryDirectory() as folder:
            prediction.Ours(net, _rows(rows), folder=Path(folder))()
        most.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10)
    few, many = most
    return Comparison(f"memory of predicting {MANY:,} rows: as of {FEW:,}", [few / many], many, few, "MB", 0.98)


def _rows(count: int) -> Any:
    return tf.data.Dataset.range(count).map(lambda number: tf.fill([FEATURES], tf.cast(number, tf.float32)))
