"""A batch that is divided among the devices of a process."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module
from runyard.training.division import Division
from runyard.training.randomness import Purpose, seed_for
from tests.training.trainings import COLUMNS, TARGET, X, rows, training_of, weights_of
from tests.training.worker_cases import SAME, undivided

_DIVIDED = ("sgd", "adam, weighted, validated", "pcgrad", "two optimizers, clipped", "embedding", "grouped metric")


@pytest.mark.slow
@pytest.mark.parametrize("name", _DIVIDED)
def test_two_devices_give_what_one_with_twice_the_batch_gives(name: str, keras: Any) -> None:
    found = SAME[name].run(keras, division=Division(replicas=2))
    expected = undivided(name, keras, scale=2)
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        np.testing.assert_allclose(found[key], value, atol=1e-5, rtol=1e-5, err_msg=key)


def _regularised(keras: KerasVersion) -> Any:
    seed_for(3, purpose=Purpose.MODEL)
    layers = keras_module(keras).layers
    inputs = layers.Input((COLUMNS,))
    hidden = layers.Dense(3, activation="tanh", kernel_regularizer="l2", activity_regularizer="l2")(inputs)
    return keras_module(keras).Model(inputs, layers.Dense(1)(hidden))


def test_what_regularises_counts_once(keras: Any) -> None:
    written = {"losses": "mse", "optimizer": {"type": "sgd", "args": {"learning_rate": 0.1}}, "epochs": 1}
    results: list[Any] = []
    for replicas in (1, 4):
        model = _regularised(keras)
        data, validation = rows(X, TARGET), rows(X[:7], TARGET[:7], batch=4)
        training = training_of(model, data, validation=validation, division=Division(replicas=replicas), **written)
        found = training().results
        results.append([*weights_of(training.model), *found.values()])
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(other, one, atol=1e-5, rtol=1e-5)


def test_a_batch_with_fewer_rows_than_devices_is_left_to_the_first(keras: Any) -> None:
    results: list[Any] = []
    for replicas in (1, 4):
        training = training_of(
            _regularised(keras), rows(X[:6], TARGET[:6], batch=4), division=Division(replicas=replicas), losses="mse"
        )
        outcome = training()
        assert tf.math.is_finite(outcome.results["loss"])
        results.append(weights_of(training.model))
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(other, one, atol=1e-5)
