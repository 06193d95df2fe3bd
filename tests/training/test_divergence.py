"""A loss or gradient that is not finite ends the training, if the job asks for it, before it reaches the weights."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module
from runyard.errors import TrainingDiverged
from tests.training.trainings import X, Y, rows, same_bits, small_model, training_of, weights_of

BAD = X.copy()
BAD[9, 1] = np.nan  # in the second batch of eight


@pytest.mark.parametrize("steps_per_call", [1, 100])
def test_the_step_is_named_and_the_weights_are_those_before_it(keras: KerasVersion, steps_per_call: int) -> None:
    training = training_of(small_model(keras), rows(BAD, Y), term_on_nan=True, steps_per_call=steps_per_call)
    with pytest.raises(TrainingDiverged, match=r"not finite in step 2 \(epoch 1, batch 2\)"):
        training()
    before = training_of(small_model(keras), rows(X, Y), max_steps=1)
    before()
    assert same_bits(weights_of(training.model), weights_of(before.model))


def test_a_gradient_that_is_not_finite_counts_too(keras: KerasVersion) -> None:
    """The slope of the square root is infinite at 0."""
    package = keras_module(keras)

    class Root(package.Model):
        def __init__(self) -> None:
            super().__init__()
            self.scale = package.layers.Dense(1, use_bias=False, kernel_initializer="zeros")

        def call(self, x: Any) -> Any:
            return tf.sqrt(self.scale(x))

    training = training_of(Root(), rows(np.abs(X), Y), losses="mse", term_on_nan=True)
    with pytest.raises(TrainingDiverged, match="step 1"):
        training()
    assert np.isfinite(weights_of(training.model)[0]).all()


def test_without_the_wish_it_goes_on_and_says_so_once(capfd: pytest.CaptureFixture[str]) -> None:
    assert training_of(small_model(), rows(BAD, Y), epochs=2, steps_per_call=1)().step == 6
    said = [line for line in capfd.readouterr().err.splitlines() if "not finite" in line]
    assert len(said) == 1
    assert "by step 2 (epoch 1)" in said[0]


def test_a_good_training_is_not_changed(keras: KerasVersion) -> None:
    watched, plain = [
        training_of(small_model(keras), rows(X, Y), term_on_nan=watch, steps_per_call=2) for watch in (True, False)
    ]
    assert watched().step == plain().step == 9
    assert same_bits(weights_of(watched.model), weights_of(plain.model))
