"""One of the processes of `bench.scaling`: how long an exchange and a step take with so many workers.

`python -m bench.exchange_side FILE ROUNDS`, as the worker that TF_CONFIG names; worker 0 writes what it measured.
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.pinned import pinned_place, write_and_leave
from bench.training import Ours, model
from bench.worker_side import convolutions, table
from runyard.bridge import keras_module
from runyard.training.together import Together
from runyard.training.workers import ALONE, Workers

import tensorflow as tf  # isort: skip

NUMBERS = (1, 10_000, 1_000_000, 8_000_000)
BATCH = 128


def seconds_of(run: Callable[[], float], *, workers: Workers, rounds: int) -> float:
    """The median time of what it counts."""
    times: list[float] = []
    for _ in range(rounds + 1):
        workers.totals([0.0])
        started = time.perf_counter()
        amount = run()
        times.append((time.perf_counter() - started) / amount)
    return statistics.median(times[1:])


def exchange(workers: Workers, *, numbers: int) -> Callable[[], float]:
    """Sums of so many numbers over all workers, one after the other."""
    times = max(3, 200_000 // max(numbers, 1_000))

    @tf.function(autograph=False)
    def many() -> Any:
        def body(done: Any, vector: Any) -> Any:
            return done + 1, tf.ensure_shape(workers.sum_vector(vector) * 0.5, [numbers])

        return tf.while_loop(lambda done, _: done < times, body, [tf.constant(0), tf.zeros([numbers])])[0]

    return lambda: float(many())


def training(workers: Workers, *, net: Callable[[Any], Any], steps: int) -> Ours:
    data = tf.data.Dataset.from_tensor_slices(table(steps * BATCH)).batch(BATCH).prefetch(2)
    return Ours(keras_module(2), data, workers=workers, net=net)


def main(file: Path, rounds: int) -> None:
    place = pinned_place()
    workers: Workers = ALONE if place.is_lone else Together(place)
    found = {
        "exchange": {
            numbers: seconds_of(exchange(workers, numbers=numbers), workers=workers, rounds=rounds)
            for numbers in NUMBERS
        },
        "MLP": seconds_of(training(workers, net=model, steps=200), workers=workers, rounds=rounds),
        "convolutions": seconds_of(training(workers, net=convolutions, steps=8), workers=workers, rounds=rounds),
    }
    write_and_leave(found, file=file, workers=workers)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
