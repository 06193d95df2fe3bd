"""Everything random in a run follows from one seed."""

import random
import secrets
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import context

from runyard.bridge import seed_keras
from runyard.data.python_randomness import PythonRandomness


class Purpose(Enum):
    """What randomness is for. Each purpose has its own, so that a change in one does not move the others."""

    MODEL = 0
    TRAINING_DATA = 1
    VALIDATION_DATA = 2
    TEST_DATA = 3
    PREDICT_DATA = 4


def draw_seed() -> int:
    """A seed for a job that names none."""
    return secrets.randbelow(2**31)


def seed_for(seed: int, *, purpose: Purpose) -> None:
    """Seeds all generators for what comes next. The model's is the job's own, as in Keras."""
    mixed = (seed + purpose.value * 1_000_003) % 2**31
    if purpose is Purpose.MODEL:
        seed_keras(mixed)
        return
    random.seed(mixed)
    np.random.seed(mixed)
    tf.random.set_seed(mixed)


@dataclass(frozen=True)
class Randomness:
    """Where the generators of a purpose are, to go on from there after another purpose had its turn."""

    python: PythonRandomness
    seed: int
    operations: Any
    """The state of the generator from which TensorFlow draws a seed for each operation that names none."""

    @classmethod
    def now(cls) -> "Randomness":
        """After `seed_for`."""
        seed = context.global_seed()
        assert seed is not None, "everything is seeded"
        return cls(PythonRandomness.now(), seed, _operations().getstate())

    def bring_back(self) -> None:
        self.python.bring_back()
        tf.random.set_seed(self.seed)
        _operations().setstate(self.operations)


def _operations() -> Any:
    """TensorFlow's generator of seeds for operations."""
    eager: Any = context.context()
    return eager._rng
