"""Every optimizer does to a model what it does under Keras `fit`."""

from typing import Any

import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module, optimizer_variables, tensorflow_variable
from runyard.config.known_names import Kind, find
from tests.training.forms import named_for
from tests.training.parity import assert_trains_as_fit
from tests.training.trainings import (
    BATCH,
    COLUMNS,
    EPOCHS,
    ROWS,
    TARGET,
    X,
    rows,
    small_model,
    trained,
    training_of,
    weights_of,
)

OF_KERAS_2 = [name for name, keras in named_for(Kind.OPTIMIZER) if keras == 2 and name != "padagrad"]

WRONG_IN_THEIR_GRAPHS = {"nadam", "ScheduleFreeAdamW"}
"""Under `fit` they are themselves in eager mode only: one counts in Python, one starts its momentum anew each step."""


def assert_optimizer_agrees(name: str, *, keras: KerasVersion, **arguments: Any) -> None:
    known = find(Kind.OPTIMIZER, name)
    assert known is not None
    optimizer = getattr(keras_module(keras).optimizers, known.class_name)(**arguments)
    assert_trains_as_fit(
        lambda: small_model(keras, activation="linear"),
        rows(X, TARGET),
        compiled={"optimizer": optimizer, "loss": "mse", "run_eagerly": name in WRONG_IN_THEIR_GRAPHS},
        optimizer={"type": name, "args": arguments},
        losses="mse",
    )


@pytest.mark.parametrize("name", OF_KERAS_2)
def test_an_optimizer_of_keras_2(name: str) -> None:
    assert_optimizer_agrees(name, keras=2, learning_rate=0.02)


@pytest.mark.parametrize("name", ["adam", "sgd", "AdamW", "Lamb", "Muon", "ScheduleFreeAdamW"])
def test_an_optimizer_of_keras_3(name: str) -> None:
    assert_optimizer_agrees(name, keras=3, learning_rate=0.02)


@pytest.mark.parametrize("arguments", [{"momentum": 0.9, "nesterov": True}, {"weight_decay": 0.1}, {"clipnorm": 0.1}])
def test_arguments_of_an_optimizer(arguments: dict[str, Any]) -> None:
    assert_optimizer_agrees("sgd", keras=2, learning_rate=0.02, **arguments)


def test_a_schedule() -> None:
    written = {"initial_learning_rate": 0.1, "decay_steps": 2, "decay_rate": 0.5}
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(**written)
    assert_trains_as_fit(
        small_model,
        rows(X, TARGET),
        compiled={"optimizer": tf.keras.optimizers.Adam(schedule), "loss": "mse"},
        optimizer={"type": "adam", "args": {"learning_rate": {"type": "exponential", "args": written}}},
        losses="mse",
    )


def test_everything_that_nadam_remembers_is_checkpointed(keras: KerasVersion) -> None:
    optimizer = training_of(small_model(keras), rows(X, TARGET), optimizer="nadam").engine.optimizers[0]
    listed = {id(variable) for variable in optimizer_variables(optimizer)}
    assert id(tensorflow_variable(optimizer._u_product)) in listed


def test_proximal_adagrad_is_that_of_tensorflow_1() -> None:
    arguments = {"l1_regularization_strength": 0.01, "l2_regularization_strength": 0.1}
    model = small_model(activation="linear")
    start = weights_of(model)
    optimizer = {"type": "padagrad", "args": {"learning_rate": 0.05, **arguments}}
    found = trained(model, rows(X, TARGET), optimizer=optimizer, losses="mse")
    for ours, theirs in zip(found, _by_tensorflow_1(start, arguments), strict=True):
        assert ours == pytest.approx(theirs, abs=1e-5)


def _by_tensorflow_1(start: list[Any], arguments: dict[str, float]) -> list[Any]:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        kernel, bias, kernel_2, bias_2 = [
            v1.get_variable(f"v{place}", initializer=value) for place, value in enumerate(start)
        ]
        x, y = v1.placeholder(tf.float32, [None, COLUMNS]), v1.placeholder(tf.float32, [None])
        output = tf.tanh(x @ kernel + bias) @ kernel_2 + bias_2
        loss = tf.reduce_mean((output[:, 0] - y) ** 2)
        train = v1.train.ProximalAdagradOptimizer(0.05, **arguments).minimize(loss)
        session.run(v1.global_variables_initializer())
        for _ in range(EPOCHS):
            for first in range(0, ROWS, BATCH):
                session.run(train, {x: X[first : first + BATCH], y: TARGET[first : first + BATCH]})
        return session.run([kernel, bias, kernel_2, bias_2])
