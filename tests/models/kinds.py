"""Models of every kind that a script may make, each with a batch for it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module

Made = tuple[Any, Any]


def numbers(rows: int = 5, *, width: int = 4) -> Any:
    return tf.constant(np.random.default_rng(0).normal(size=(rows, width)), tf.float32)


def words(rows: int = 5) -> Any:
    return tf.constant([["red", "green", "blue", "unknown"][row % 4] for row in range(rows)])


def sequential(keras: KerasVersion) -> Made:
    layers = keras_module(keras).layers
    model = keras_module(keras).Sequential(
        [layers.Dense(8, activation="relu"), layers.BatchNormalization(), layers.Dropout(0.5), layers.Dense(1)]
    )
    trained(model, numbers(16) * 3 + 1)
    return model, numbers()


def functional(keras: KerasVersion) -> Made:
    layers = keras_module(keras).layers
    given = layers.Input((4,), name="features")
    inner = layers.Dropout(0.5)(layers.BatchNormalization()(layers.Dense(8)(given)))
    model = keras_module(keras).Model(given, layers.Dense(1, name="score")(inner), name="ranker")
    trained(model, numbers(16) * 3 + 1)
    return model, numbers()


def several_inputs_and_outputs(keras: KerasVersion) -> Made:
    layers = keras_module(keras).layers
    user, item = layers.Input((4,), name="user"), layers.Input((4,), name="item")
    inner = layers.Concatenate()([user, layers.Dense(3)(item)])
    model = keras_module(keras).Model(
        [user, item], [layers.Dense(1, name="click")(inner), layers.Dense(2, name="buy")(inner)]
    )
    return model, (numbers(), numbers() + 1)


def dicts(keras: KerasVersion) -> Made:
    layers = keras_module(keras).layers
    given = {"user": layers.Input((4,), name="user"), "colour": layers.Input((), dtype="string", name="colour")}
    found = layers.StringLookup(vocabulary=["red", "green", "blue"])(given["colour"])
    hashed = layers.Hashing(7)(given["colour"])
    inner = layers.Concatenate()(
        [given["user"], layers.Embedding(4, 3)(found), layers.Embedding(7, 3)(hashed), layers.Dense(2)(given["user"])]
    )
    model = keras_module(keras).Model(given, {"click": layers.Dense(1)(inner), "buy": layers.Dense(2)(inner)})
    return model, {"user": numbers(), "colour": words()}


def subclassed(keras: KerasVersion, *, traced: bool = False) -> Made:
    """Dict inputs of two types, BatchNorm, Dropout, a list of layers, a tuple of outputs."""
    package = keras_module(keras)

    class Towers(package.Model):
        def __init__(self) -> None:
            super().__init__()
            self.lookup = package.layers.StringLookup(vocabulary=["red", "green", "blue"])
            self.embedding = package.layers.Embedding(4, 8)
            self.tower = [package.layers.Dense(8), package.layers.BatchNormalization(), package.layers.Dropout(0.5)]
            self.heads = {"click": package.layers.Dense(1), "buy": package.layers.Dense(2)}

        def call(self, inputs: Any, training: bool = False) -> Any:
            inner = self.tower[0](inputs["user"]) + self.embedding(self.lookup(inputs["colour"]))
            inner = self.tower[2](self.tower[1](inner, training=training), training=training)
            return self.heads["click"](inner), self.heads["buy"](inner)

    if traced:
        Towers.call = tf.function(Towers.call)  # type: ignore[method-assign]
    model = Towers()
    trained(model, {"user": numbers(16) * 3 + 1, "colour": words(16)})
    return model, {"user": numbers(), "colour": words()}


def subclassed_traced(keras: KerasVersion) -> Made:
    return subclassed(keras, traced=True)


def pair(keras: KerasVersion) -> Made:
    """A ranker inside a model of two inputs, whose `call` is a tf.function, as in the specification."""
    package = keras_module(keras)
    inner = package.Sequential([package.layers.Dense(4, activation="relu"), package.layers.Dense(1)])

    class Pairs(package.Model):
        def __init__(self) -> None:
            super().__init__()
            self.ranker = inner

        @tf.function
        def call(self, inputs: Any, training: bool = False) -> Any:
            first, second = inputs
            return self.ranker(first, training=training) - self.ranker(second, training=training)

    model = Pairs()
    trained(model, (numbers(16), numbers(16) + 1))
    return model, (numbers(), numbers() + 1)


def trained(model: Any, batch: Any) -> None:
    """Called as the training loop does, in a graph and with a fixed batch, so that BatchNorm has seen something."""
    step = tf.function(lambda inputs: model(inputs, training=True), autograph=False)
    for _ in range(3):
        step(batch)


KINDS: dict[str, Callable[[KerasVersion], Made]] = {
    maker.__name__: maker
    for maker in (
        sequential,
        functional,
        several_inputs_and_outputs,
        dicts,
        subclassed,
        subclassed_traced,
        pair,
    )
}
