"""Memory over a hundred thousand steps."""

import gc
from collections.abc import Iterator

import psutil

from bench.pairs import Comparison
from bench.training import Ours, data, model, tf
from runyard.bridge import keras_module

EARLY, LATE = 10_000, 100_000


def comparisons() -> Iterator[Comparison]:
    """Resident memory after so many steps; growth beyond 2 % would be a leak."""
    assert model and tf
    ours = Ours(keras_module(2), data(32))
    process = psutil.Process()
    early = late = steps = 0.0
    while steps < LATE:
        steps += ours()
        gc.collect()
        late = process.memory_info().rss / 2**20
        if not early and steps >= EARLY:
            early = late
    yield Comparison(
        f"memory after {LATE:,} steps: as flat as after {EARLY:,}", [early / late], late, early, "MB", 0.98
    )
