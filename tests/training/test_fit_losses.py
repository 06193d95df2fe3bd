"""Every family of losses trains as under Keras `fit`, with labels and weights of every shape."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module
from runyard.errors import ModelError
from runyard.training.randomness import Purpose, seed_for
from tests.training.parity import assert_trains_as_fit
from tests.training.trainings import (
    COLUMNS,
    RANDOM,
    ROWS,
    TARGET,
    WEIGHTS,
    X,
    Y,
    apart,
    rows,
    small_model,
    trained,
    training_of,
    weights_of,
)

CLASSES = RANDOM.integers(0, 3, ROWS)
ONE_HOT = np.eye(3, dtype=np.float32)[CLASSES]


def with_outputs(count: int, activation: str) -> Any:
    seed_for(3, purpose=Purpose.MODEL)
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [layers.Input((COLUMNS,)), layers.Dense(3, activation="tanh"), layers.Dense(count, activation=activation)]
    )


def assert_loss_agrees(loss: str, label: Any, weight: Any = None, *, outputs: int, activation: str) -> None:
    dataset = rows(X, label) if weight is None else rows(X, label, weight)
    assert_trains_as_fit(
        lambda: with_outputs(outputs, activation),
        dataset,
        compiled={"optimizer": "sgd", "loss": loss, "metrics": ["mae"] if outputs == 1 else []},
        optimizer="sgd",
        losses=loss,
        metrics=["mae"] if outputs == 1 else None,
    )


@pytest.mark.parametrize("loss", ["mse", "mae", "mape", "msle", "huber", "log_cosh", "poisson"])
def test_regression(loss: str) -> None:
    assert_loss_agrees(loss, np.abs(TARGET) + 1.0, outputs=1, activation="softplus")


@pytest.mark.parametrize("loss", ["binary_crossentropy", "binary_focal_crossentropy"])
def test_two_classes(loss: str) -> None:
    assert_loss_agrees(loss, Y, outputs=1, activation="sigmoid")


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_hinges(loss: str) -> None:
    assert_loss_agrees(loss, Y * 2 - 1, outputs=1, activation="tanh")


@pytest.mark.parametrize(
    "loss",
    ["categorical_crossentropy", "categorical_hinge", "kld", "cosine_similarity", "categorical_focal_crossentropy"],
)
def test_several_classes(loss: str) -> None:
    assert_loss_agrees(loss, ONE_HOT, outputs=3, activation="softmax")


@pytest.mark.parametrize(
    "label", [CLASSES, CLASSES[:, None], CLASSES.astype(np.float32)], ids=["(B,)", "(B,1)", "float"]
)
def test_numbers_of_classes(label: Any) -> None:
    assert_loss_agrees("sparse_categorical_crossentropy", label, outputs=3, activation="softmax")


@pytest.mark.parametrize("label", [Y, Y[:, None]], ids=["(B,)", "(B,1)"])
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_labels_of_every_shape_and_type(label: Any, kind: Any) -> None:
    assert_loss_agrees("binary_crossentropy", label.astype(kind), outputs=1, activation="sigmoid")


@pytest.mark.parametrize("label", [Y, Y[:, None]], ids=["label (B,)", "label (B,1)"])
@pytest.mark.parametrize("weight", [WEIGHTS, WEIGHTS[:, None]], ids=["weight (B,)", "weight (B,1)"])
def test_weights_of_rows(label: Any, weight: Any) -> None:
    assert_loss_agrees("binary_crossentropy", label, weight, outputs=1, activation="sigmoid")


def test_weights_of_rows_with_numbers_of_classes() -> None:
    assert_loss_agrees("sparse_categorical_crossentropy", CLASSES, WEIGHTS, outputs=3, activation="softmax")


def test_a_weight_of_none_is_no_weight(keras: KerasVersion) -> None:
    without = trained(small_model(keras), rows(X, Y))
    assert all(
        (one == other).all()
        for one, other in zip(
            trained(small_model(keras), rows(X, Y).map(lambda x, y: (x, y, None))), without, strict=True
        )
    )


def test_weights_of_classes_and_of_rows_are_multiplied(keras: KerasVersion) -> None:
    """Keras 3 refuses both together, Keras 2 fails on a dataset with both."""
    both = trained(small_model(keras), rows(X, Y, WEIGHTS[:, None]), class_weight={"0": 1.0, "1": 3.0})
    product = trained(small_model(keras), rows(X, Y, WEIGHTS * np.where(Y == 1, 3.0, 1.0).astype(np.float32)))
    assert apart(both, product) < 1e-6


def test_weights_of_classes(keras: KerasVersion) -> None:
    package = keras_module(keras)
    assert_trains_as_fit(
        lambda: small_model(keras),
        rows(X, Y),
        compiled={
            "optimizer": "sgd",
            "loss": "binary_crossentropy",
            "metrics": [package.metrics.AUC(name="auc")],
            "weighted_metrics": [package.metrics.MeanSquaredError(name="mse")],
        },
        fitted={"class_weight": {0: 1.0, 1: 3.0}},
        optimizer="sgd",
        class_weight={"0": 1.0, "1": 3.0},
        metrics=["auc"],
        weighted_metrics=["mse"],
    )


def test_weights_of_classes_with_one_hot_labels() -> None:
    assert_trains_as_fit(
        lambda: with_outputs(3, "softmax"),
        rows(X, ONE_HOT),
        compiled={"optimizer": "sgd", "loss": "categorical_crossentropy"},
        fitted={"class_weight": {0: 1.0, 1: 3.0, 2: 0.5}},
        optimizer="sgd",
        losses="categorical_crossentropy",
        class_weight={"0": 1.0, "1": 3.0, "2": 0.5},
    )


def test_weights_of_classes_need_one_label() -> None:
    layers = tf.keras.layers
    inputs = layers.Input((COLUMNS,))
    model = tf.keras.Model(inputs, [layers.Dense(1, name="a")(inputs), layers.Dense(1, name="b")(inputs)])
    with pytest.raises(ModelError, match="one output, and there are 2 labels"):
        training_of(model, rows(X, (Y, Y)), class_weight={"0": 1.0, "1": 2.0})()


@pytest.mark.parametrize("loss", ["bpr", "pair_hinge"])
def test_losses_of_pairs(keras: KerasVersion, loss: str) -> None:
    """One linear layer on differences, trained by hand."""
    seed_for(3, purpose=Purpose.MODEL)
    package = keras_module(keras)
    model = package.Sequential([package.Input((COLUMNS,)), package.layers.Dense(1, use_bias=False)])
    (kernel,) = weights_of(model)
    written = {"type": loss, "args": {"margin": 0.5} if loss == "pair_hinge" else {}}
    (found,) = trained(
        model, rows(X, Y, batch=ROWS), losses=written, optimizer={"type": "sgd", "args": {"learning_rate": 0.3}}
    )
    for _ in range(3):
        score = X @ kernel
        slope = -1 / (1 + np.exp(score)) if loss == "bpr" else -(score < 0.5).astype(np.float32)
        kernel = kernel - 0.3 * X.T @ slope / ROWS
    assert found == pytest.approx(kernel, abs=1e-6)
