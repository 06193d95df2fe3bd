from typing import Any

import pytest

from runyard.bridge import KerasVersion, keras_module, learning_rate_of


def test_the_learning_rate_is_that_of_the_next_step(keras: KerasVersion, tensorflow: Any) -> None:
    package = keras_module(keras)
    halving = package.optimizers.schedules.ExponentialDecay(1.0, decay_steps=1, decay_rate=0.5)
    optimizer = package.optimizers.SGD(halving)
    variable = tensorflow.Variable([1.0]) if keras == 2 else package.Variable([1.0])
    rates: list[float] = []
    for _ in range(3):
        rates.append(learning_rate_of(optimizer))
        optimizer.apply_gradients([(tensorflow.constant([1.0]), variable)])
    assert rates == [1.0, 0.5, 0.25]


def test_a_constant_learning_rate_is_a_number(keras: KerasVersion) -> None:
    assert learning_rate_of(keras_module(keras).optimizers.Adam(0.25)) == pytest.approx(0.25)
