"""Trainings of three workers; also the program of such a worker.

`python -m tests.training.three_worker_cases FOLDER` runs all of them as the worker that TF_CONFIG names.
"""

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    from runyard.bridge import start_tensorflow

    start_tensorflow(2)

from runyard.bridge import KerasVersion, set_precision
from tests.training.trainings import X, Y, small_model
from tests.training.worker_cases import BATCH, SAME, Case

KERAS: KerasVersion = 3


def _half(keras: KerasVersion) -> Any:
    set_precision(half=True)
    try:
        return small_model(keras)
    finally:
        set_precision(half=False)


def _with_one_row_of(value: float) -> Any:
    """In a batch of worker 1 alone."""
    changed = X.copy()
    changed[BATCH] = value
    return changed


EQUAL = {
    **{name: SAME[name] for name in ("adam, weighted, validated", "embedding")},
    "compiled": Case(options={"jit_compile": True}),
    "one batch, so that two workers have none": Case(rows=3),
}
"""Three workers with B rows each give what one process with 3B rows gives. Their shards are uneven."""

UNEQUAL = {
    "half precision, too large for one worker": Case((_with_one_row_of(7e4), Y), _half, {"mix_precision": True}),
    "not a number on one worker": Case((_with_one_row_of(np.nan), Y)),
}
"""What one process gives is of no interest, but workers end alike."""


def _run_all(folder: Path) -> None:
    from runyard.cluster import who_am_i
    from runyard.training.together import Together
    from runyard.training.workers import wait_for_all

    place = who_am_i(tf_config=os.environ["TF_CONFIG"])
    assert place is not None
    workers = Together(place)
    for name, case in {**EQUAL, **UNEQUAL}.items():
        np.savez(folder / f"{name} worker{workers.index}.npz", **case.run(KERAS, workers=workers))
    wait_for_all(workers)
    os._exit(0)


if __name__ == "__main__":
    _run_all(Path(sys.argv[1]))
