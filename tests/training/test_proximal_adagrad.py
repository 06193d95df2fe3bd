from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module
from runyard.training.proximal_adagrad import proximal_adagrad

START = np.array([[1.0, -2.0], [0.05, 0.5], [3.0, -0.01]], np.float32)
GRADIENTS = np.random.default_rng(2).normal(size=(5, 3, 2)).astype(np.float32)
ROWS = [[0, 0], [2, 0], [1, 1], [2, 2], [0, 2]]

ARGUMENTS = [
    {},
    {"l1_regularization_strength": 0.3},
    {"l2_regularization_strength": 0.7, "initial_accumulator_value": 0.5},
    {"l1_regularization_strength": 0.05, "l2_regularization_strength": 0.2},
]


def tensorflow_1_says(arguments: dict[str, float], *, sparse: bool) -> list[Any]:
    """The variable after each step of TensorFlow 1's optimizer."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        variable = v1.get_variable("v", initializer=START, use_resource=True)
        dense, rows, values = v1.placeholder(tf.float32), v1.placeholder(tf.int32, [2]), v1.placeholder(tf.float32)
        gradient = tf.IndexedSlices(values, rows, tf.constant([3, 2])) if sparse else dense
        update = v1.train.ProximalAdagradOptimizer(0.1, **arguments).apply_gradients([(gradient, variable)])
        session.run(v1.global_variables_initializer())
        found: list[Any] = []
        for given, places in zip(GRADIENTS, ROWS, strict=True):
            session.run(update, {dense: given, rows: places, values: given[:2]})
            found.append(session.run(variable))
        return found


@pytest.mark.parametrize("arguments", ARGUMENTS)
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "rows"])
def test_it_is_tensorflow_1s_optimizer(keras: KerasVersion, arguments: dict[str, float], sparse: bool) -> None:
    variable = tf.Variable(START) if keras == 2 else keras_module(3).Variable(START)
    optimizer = proximal_adagrad(keras, learning_rate=0.1, **arguments)
    optimizer.build([variable])

    @tf.function(autograph=False)
    def apply(gradient: Any) -> None:
        optimizer.apply_gradients([(gradient, variable)])

    for given, places, expected in zip(GRADIENTS, ROWS, tensorflow_1_says(arguments, sparse=sparse), strict=True):
        rows = tf.IndexedSlices(tf.constant(given[:2]), tf.constant(places), tf.constant([3, 2]))
        apply(rows if sparse else tf.constant(given))
        assert variable.numpy() == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_several_variables_have_their_own_accumulators(keras: KerasVersion) -> None:
    make = tf.Variable if keras == 2 else keras_module(3).Variable
    variables = [make([1.0]), make([1.0, 2.0])]
    optimizer = proximal_adagrad(keras, learning_rate=0.1)
    optimizer.build(variables)
    optimizer.apply_gradients([(tf.constant([1.0]), variables[0]), (tf.constant([2.0, 0.0]), variables[1])])
    assert variables[0].numpy() == pytest.approx(1 - 0.1 / np.sqrt(1.1))
    assert variables[1].numpy() == pytest.approx([1 - 0.2 / np.sqrt(4.1), 2.0])


def test_its_state_is_checkpointed(keras: KerasVersion) -> None:
    variable = tf.Variable(START) if keras == 2 else keras_module(3).Variable(START)
    optimizer = proximal_adagrad(keras)
    optimizer.build([variable])
    assert any(tuple(held.shape) == START.shape for held in optimizer.variables if held is not variable)
    tf.train.Checkpoint(optimizer=optimizer)
