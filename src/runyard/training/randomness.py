"""Everything random in a run follows from one seed."""

import random
import secrets
from enum import Enum

import numpy as np
import tensorflow as tf

from runyard.bridge import seed_keras


class Purpose(Enum):
    """What randomness is for. Each purpose has its own, so that a change in one does not move the others."""

    MODEL = 0
    TRAINING_DATA = 1
    VALIDATION_DATA = 2


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
