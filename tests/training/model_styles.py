"""Models in every style that users write, each with one output for inputs of four columns. Both Keras make them."""

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module
from tests.training.trainings import COLUMNS


def sequential(keras: KerasVersion) -> Any:
    package = keras_module(keras)
    layers = package.layers
    return package.Sequential([layers.Dense(3, activation="tanh"), layers.Dense(1, activation="sigmoid")])


def functional(keras: KerasVersion) -> Any:
    package = keras_module(keras)
    inputs = package.Input((COLUMNS,))
    hidden = package.layers.Dense(3, activation="tanh")(inputs)
    joined = package.layers.Concatenate()([inputs, hidden])
    return package.Model(inputs, package.layers.Dense(1, activation="sigmoid")(joined))


def subclassed(keras: KerasVersion, *, with_training: bool = True, traced: bool = False) -> Any:
    package = keras_module(keras)

    class Net(package.Model):
        def __init__(self) -> None:
            super().__init__()
            self.hidden = package.layers.Dense(3, kernel_regularizer="l2")
            self.norm = package.layers.BatchNormalization()
            self.score = package.layers.Dense(1, activation="sigmoid")

    def plain(self: Any, x: Any) -> Any:
        return self.score(tf.nn.relu(self.norm(self.hidden(x))))

    def trainable(self: Any, x: Any, training: Any = None) -> Any:
        return self.score(tf.nn.relu(self.norm(self.hidden(x), training=training)))

    call = trainable if with_training else plain
    Net.call = tf.function(call) if traced else call
    return type("Net", (Net,), {"call": Net.call})()


def subclassed_without_training(keras: KerasVersion) -> Any:
    return subclassed(keras, with_training=False)


def subclassed_traced(keras: KerasVersion) -> Any:
    return subclassed(keras, traced=True)


def subclassed_traced_without_training(keras: KerasVersion) -> Any:
    return subclassed(keras, traced=True, with_training=False)


def with_conditions(keras: KerasVersion) -> Any:
    """Python's `if` and `for` on tensors, which Keras 2 converts."""
    package = keras_module(keras)

    class Net(package.Model):
        def __init__(self) -> None:
            super().__init__()
            self.score = package.layers.Dense(1, activation="sigmoid")

        def call(self, x: Any) -> Any:
            if tf.reduce_mean(x) > 0.0:
                x = x * 2.0
            for _ in tf.range(2):
                x = x + 0.1
            return self.score(x)

    return Net()


def nested(keras: KerasVersion) -> Any:
    package = keras_module(keras)
    inputs = package.Input((COLUMNS,))
    inner = package.Sequential([package.layers.Dense(3, activation="tanh"), package.layers.Dense(2)])
    return package.Model(inputs, package.layers.Dense(1, activation="sigmoid")(inner(functional_body(keras)(inputs))))


def functional_body(keras: KerasVersion) -> Any:
    package = keras_module(keras)
    inputs = package.Input((COLUMNS,))
    return package.Model(inputs, package.layers.Dense(3, activation="tanh")(inputs))


def normalised(keras: KerasVersion) -> Any:
    package = keras_module(keras)
    layers = package.layers
    return package.Sequential(
        [
            layers.Dense(3),
            layers.BatchNormalization(),
            layers.Activation("relu"),
            layers.LayerNormalization(),
            layers.Dense(1, activation="sigmoid"),
        ]
    )


def regularised(keras: KerasVersion) -> Any:
    package = keras_module(keras)
    layers, regularizers = package.layers, package.regularizers
    return package.Sequential(
        [
            layers.Dense(3, kernel_regularizer=regularizers.L1L2(0.01, 0.02), bias_regularizer="l2"),
            layers.Dense(3, activation="tanh", activity_regularizer=regularizers.L2(0.05)),
            layers.Dense(1, activation="sigmoid"),
        ]
    )


def own_loss(keras: KerasVersion) -> Any:
    """A layer that adds a loss of its own."""
    package = keras_module(keras)

    class Penalty(package.layers.Layer):
        def call(self, x: Any) -> Any:
            self.add_loss(0.1 * tf.reduce_mean(tf.square(x)))
            return x

    layers = package.layers
    return package.Sequential([layers.Dense(3, activation="tanh"), Penalty(), layers.Dense(1, activation="sigmoid")])


STYLES: list[Callable[[KerasVersion], Any]] = [
    sequential,
    functional,
    subclassed,
    subclassed_without_training,
    subclassed_traced,
    subclassed_traced_without_training,
    with_conditions,
    nested,
    normalised,
    regularised,
    own_loss,
]
