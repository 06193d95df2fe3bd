"""Models in every style train as under Keras `fit`."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module
from tests.training.model_styles import STYLES, subclassed_traced_without_training, with_conditions
from tests.training.parity import assert_trains_as_fit
from tests.training.trainings import COLUMNS, RANDOM, ROWS, TARGET, WEIGHTS, X, Y, rows, small_model

IDS = RANDOM.integers(0, 6, (ROWS, 2))
WORDS = np.array([b"red", b"green", b"blue", b"unknown"])[RANDOM.integers(0, 4, (ROWS, 1))]
ADAM = {"optimizer": "adam", "loss": "binary_crossentropy"}


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)
def test_a_style(style: Callable[[KerasVersion], Any], keras: KerasVersion) -> None:
    if keras == 3 and style is with_conditions:
        pytest.skip("Keras 3 converts no Python conditions, neither under fit")
    package = keras_module(keras)
    # Keras 2 would validate this one with its trace for training, and change its statistics by that.
    validated = keras == 3 or style is not subclassed_traced_without_training
    assert_trains_as_fit(
        lambda: style(keras),
        rows(X, Y),
        validation=rows(X[:10], Y[:10]) if validated else None,
        compiled={**ADAM, "metrics": [package.metrics.AUC(name="auc"), "acc"], "jit_compile": False},
        metrics=["auc", "acc"],
    )


def test_dropout_draws_what_it_draws_under_fit(keras: KerasVersion) -> None:
    assert_trains_as_fit(lambda: small_model(keras, dropout=0.5), rows(X, Y), compiled={**ADAM, "jit_compile": False})


@pytest.mark.parametrize("optimizer", ["adam", "adagrad", "ftrl", "rmsprop"])
def test_embeddings(keras: KerasVersion, optimizer: str) -> None:
    package = keras_module(keras)
    assert_trains_as_fit(
        lambda: package.Sequential(
            [
                package.layers.Input((2,)),
                package.layers.Embedding(6, 3, embeddings_regularizer="l2" if optimizer == "adam" else None),
                package.layers.Flatten(),
                package.layers.Dense(1, activation="sigmoid"),
            ]
        ),
        rows(IDS, Y),
        compiled={"optimizer": optimizer, "loss": "binary_crossentropy", "jit_compile": False},
        optimizer=optimizer,
    )


def test_strings() -> None:
    def make() -> Any:
        layers = tf.keras.layers
        inputs = layers.Input((1,), dtype=tf.string)
        places = layers.StringLookup(vocabulary=["red", "green", "blue"])(inputs)
        return tf.keras.Model(inputs, layers.Dense(1, "sigmoid")(layers.Flatten()(layers.Embedding(4, 2)(places))))

    assert_trains_as_fit(make, rows(WORDS, Y), compiled=ADAM)


@pytest.mark.parametrize("form", ["dict", "tuple"])
def test_several_inputs(keras: KerasVersion, form: str) -> None:
    package = keras_module(keras)

    def make() -> Any:
        left, right = package.Input((COLUMNS,), name="left"), package.Input((2,), name="right")
        joined = package.layers.Concatenate()([left, right])
        inputs: Any = {"left": left, "right": right} if form == "dict" else [left, right]
        return package.Model(inputs, package.layers.Dense(1, activation="sigmoid")(joined))

    right = IDS.astype(np.float32)
    x: Any = {"left": X, "right": right} if form == "dict" else (X, right)
    assert_trains_as_fit(make, rows(x, Y), compiled=ADAM)


def two_outputs(form: str, *, keras: KerasVersion) -> Any:
    package = keras_module(keras)
    layers = package.layers
    inputs = package.Input((COLUMNS,))
    hidden = layers.Dense(3, activation="tanh")(inputs)
    click, price = layers.Dense(1, "sigmoid", name="click")(hidden), layers.Dense(1, name="price")(hidden)
    outputs: dict[str, Any] = {
        "list": [click, price],
        "tuple": (click, price),
        "dict": {"click": click, "price": price},
    }
    return package.Model(inputs, outputs[form])


@pytest.mark.parametrize("form", ["list", "tuple", "dict"])
def test_several_outputs(keras: KerasVersion, form: str) -> None:
    labels: Any = {"click": Y, "price": TARGET} if form == "dict" else (Y, TARGET)
    losses: Any = [{"type": "bce", "weight": 0.5}, {"type": "mse", "weight": 2.0}]
    by_name = {"click": "binary_crossentropy", "price": "mse"}
    in_order = list(by_name.values())
    results = assert_trains_as_fit(
        lambda: two_outputs(form, keras=keras),
        rows(X, labels),
        compiled={
            "optimizer": "adam",
            "loss": by_name if form == "dict" else in_order,
            "loss_weights": {"click": 0.5, "price": 2.0} if form == "dict" else [0.5, 2.0],
            "metrics": {"click": ["acc"], "price": ["mae"]} if form == "dict" else [["acc"], ["mae"]],
        },
        losses=losses,
        metrics=[["acc"], ["mae"]],
    )
    assert set(results) == {"loss", "click_loss", "price_loss", "click_acc", "price_mae"}


def test_one_loss_for_all_outputs(keras: KerasVersion) -> None:
    assert_trains_as_fit(
        lambda: two_outputs("list", keras=keras),
        rows(X, (Y, TARGET)),
        compiled={"optimizer": "adam", "loss": "mse" if keras == 2 else ["mse", "mse"]},
        losses="mse",
    )


@pytest.mark.parametrize("weights", ["one for all", "each its own"])
def test_weights_of_rows_for_several_outputs(weights: str) -> None:
    weight: Any = WEIGHTS if weights == "one for all" else (WEIGHTS, WEIGHTS[::-1].copy())
    assert_trains_as_fit(
        lambda: two_outputs("list", keras=2),
        rows(X, (Y, TARGET), weight),
        compiled={"optimizer": "adam", "loss": ["binary_crossentropy", "mse"]},
        losses=["bce", "mse"],
    )


def test_subclassed_models_with_several_outputs(keras: KerasVersion) -> None:
    package = keras_module(keras)

    class Net(package.Model):
        def __init__(self) -> None:
            super().__init__()
            self.click = package.layers.Dense(1, activation="sigmoid")
            self.price = package.layers.Dense(1)

        def call(self, x: Any) -> Any:
            return self.click(x), self.price(x)

    assert_trains_as_fit(
        Net,
        rows(X, (Y, TARGET)),
        compiled={"optimizer": "adam", "loss": ["binary_crossentropy", "mse"]},
        losses=["bce", "mse"],
    )


def test_ragged_inputs() -> None:
    x = tf.ragged.constant([[float(place)] * (place % 4 + 1) for place in range(ROWS)])

    def make() -> Any:
        inputs = tf.keras.Input((None,), ragged=True)
        total = tf.keras.layers.Lambda(lambda values: tf.reduce_sum(values, axis=1, keepdims=True) / 10)(inputs)
        return tf.keras.Model(inputs, tf.keras.layers.Dense(1, "sigmoid")(total))

    assert_trains_as_fit(make, rows(x, Y), compiled=ADAM)
