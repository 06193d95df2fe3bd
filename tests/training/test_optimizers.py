from typing import Any

import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module
from runyard.config.known_names import Kind
from runyard.errors import ModelError
from runyard.training.optimizers import build_optimizer
from tests.training.forms import named_for, optimizer_spec


def variable_for(keras: KerasVersion) -> Any:
    value = [[1.0, -2.0], [3.0, 4.0]]
    return tf.Variable(value) if keras == 2 else keras_module(3).Variable(value)


def step(optimizer: Any, variable: Any) -> None:
    @tf.function(autograph=False)
    def apply() -> None:
        optimizer.apply_gradients([(tf.constant([[0.5, -1.0], [2.0, 0.25]]), variable)])

    optimizer.build([variable])
    apply()


@pytest.mark.parametrize(("name", "keras"), named_for(Kind.OPTIMIZER))
def test_every_optimizer_steps_with_its_defaults(name: str, keras: KerasVersion) -> None:
    variable = variable_for(keras)
    before = variable.numpy()
    step(build_optimizer(optimizer_spec(name), keras=keras), variable)
    assert (variable.numpy() != before).all()


@pytest.mark.parametrize("key", ["lr", "learning_rate"])
def test_lr_is_the_learning_rate(keras: KerasVersion, key: str) -> None:
    variable = variable_for(keras)
    step(build_optimizer(optimizer_spec("sgd", **{key: 0.5}), keras=keras), variable)
    assert variable.numpy().tolist() == [[0.75, -1.5], [2.0, 3.875]]


def test_schedules_reach_the_optimizer(keras: KerasVersion) -> None:
    schedule = {"type": "piecewise", "args": {"boundaries": [1], "values": [0.25, 0.5], "warmup_steps": 2}}
    optimizer = build_optimizer(optimizer_spec("sgd", learning_rate=schedule), keras=keras)
    variable = variable_for(keras)
    rates: list[float] = []
    for _ in range(5):
        before = variable.numpy()
        step(optimizer, variable)
        rates.append(float((before - variable.numpy())[0, 0] / 0.5))
    assert rates == [0.0, 0.125, 0.25, 0.25, 0.5]


@pytest.mark.parametrize(("name", "keras"), named_for(Kind.OPTIMIZER))
def test_every_optimizer_takes_a_schedule(name: str, keras: KerasVersion) -> None:
    schedule = {"type": "constant", "args": {"learning_rate": 0.5, "warmup_steps": 2}}
    optimizer = build_optimizer(optimizer_spec(name, learning_rate=schedule), keras=keras)
    variable = variable_for(keras)
    before = variable.numpy()
    step(optimizer, variable)
    step(optimizer, variable)
    assert (variable.numpy() != before).all()


def test_arguments_reach_the_constructor(keras: KerasVersion) -> None:
    assert build_optimizer(optimizer_spec("adam", beta_1=0.5), keras=keras).beta_1 == 0.5


def test_an_optimizer_that_only_the_other_keras_has_is_refused() -> None:
    with pytest.raises(ModelError, match=r"Keras 2 has no Lamb.*\n.*only Keras 3 has it"):
        build_optimizer(optimizer_spec("lamb"), keras=2)


@pytest.mark.parametrize(
    "written", [("adam", {"ema_momentum": 7, "use_ema": True}), ("padagrad", {"initial_accumulator_value": -1.0})]
)
def test_refused_arguments_are_an_error_of_the_model(keras: KerasVersion, written: Any) -> None:
    name, args = written
    with pytest.raises(ModelError, match="refuses its arguments"):
        build_optimizer(optimizer_spec(name, **args), keras=keras)


def test_an_argument_that_only_the_other_keras_has_is_refused() -> None:
    with pytest.raises(ModelError, match=r"Adam refuses its arguments.*jit_compile"):
        build_optimizer(optimizer_spec("adam", jit_compile=False), keras=3)
