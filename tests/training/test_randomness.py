"""Each purpose has randomness of its own, and can go on with it later."""

import random

import numpy as np
import tensorflow as tf

from runyard.training.randomness import Purpose, Randomness, seed_for


def draws() -> list[float]:
    return [random.random(), float(np.random.rand()), float(tf.random.uniform([])), float(tf.random.normal([]))]


def test_a_purpose_goes_on_as_if_no_other_had_come_between() -> None:
    seed_for(5, purpose=Purpose.MODEL)
    expected = [*draws(), *draws()]
    seed_for(5, purpose=Purpose.MODEL)
    first = draws()
    kept = Randomness.now()
    seed_for(5, purpose=Purpose.TRAINING_DATA)
    between = draws()
    kept.bring_back()
    assert [*first, *draws()] == expected
    assert between != expected[4:]
