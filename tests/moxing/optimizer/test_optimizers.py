"""Optimizers by name."""

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from moxing.tensorflow.optimizer import OptimizerKeys, get_optimizer_fn
from tests.moxing.optimizer.steps import weights_after

NAMED = {
    "adadelta": (tf.train.AdadeltaOptimizer, {"rho": 0.9}),
    "adagrad": (tf.train.AdagradOptimizer, {"initial_accumulator_value": 0.2}),
    "adam": (tf.train.AdamOptimizer, {"beta1": 0.5}),
    "ftrl": (tf.train.FtrlOptimizer, {"l1_regularization_strength": 0.01}),
    "momentum": (tf.train.MomentumOptimizer, {"momentum": 0.5, "use_nesterov": True}),
    "rmsprop": (tf.train.RMSPropOptimizer, {"decay": 0.8}),
    "sgd": (tf.train.GradientDescentOptimizer, {}),
}


@pytest.mark.parametrize("name", NAMED)
def test_each_is_tensorflows_with_its_arguments(name: str) -> None:
    made_by, arguments = NAMED[name]
    gradients = [[1.0, -2.0], [0.5, 0.5]]
    ours = weights_after(get_optimizer_fn(name, 0.1, **arguments), [1.0, 2.0], gradients)
    theirs = weights_after(lambda: made_by(0.1, **arguments), [1.0, 2.0], gradients)
    np.testing.assert_array_equal(ours, theirs)
    assert not np.array_equal(ours[0], ours[1])


def test_the_keys_are_all_there_is() -> None:
    keys = {value for name, value in vars(OptimizerKeys).items() if name.isupper()}
    assert keys == NAMED.keys()


def test_momentum_is_nine_tenths_unless_given() -> None:
    gradients = [[1.0], [1.0]]
    usual = weights_after(get_optimizer_fn("momentum", learning_rate=1.0), [0.0], gradients)
    np.testing.assert_allclose(usual[1], [-2.9])
    positional = weights_after(get_optimizer_fn("momentum", 1.0, None, 0.5), [0.0], gradients)
    np.testing.assert_allclose(positional[1], [-2.5])


def test_a_rate_may_be_made_with_the_optimizer() -> None:
    def rate() -> Any:
        return tf.where(tf.train.get_or_create_global_step() < 1, 1.0, 0.5)

    np.testing.assert_allclose(weights_after(get_optimizer_fn("sgd", rate), [0.0], [[1.0], [1.0]]), [[-1.0], [-1.5]])


def test_a_scope_is_its_name_in_the_graph() -> None:
    assert get_optimizer_fn("adam", 0.1, scope="mine")().get_name() == "mine"


def test_what_there_is_not_is_refused_before_the_run() -> None:
    with pytest.raises(ValueError, match="there is no optimizer 'adm'\n  hint: did you mean adam") as caught:
        get_optimizer_fn("adm", 0.1)
    assert "adadelta, adagrad, adam, ftrl, momentum, rmsprop, sgd" in str(caught.value)
    with pytest.raises(TypeError, match=r"'beta'\n  hint: it takes learning_rate, beta1, beta2"):
        get_optimizer_fn("adam", 0.1, beta=0.5)
