from typing import Any

import pytest

from runyard.bridge import KerasVersion, call_model, keras_module, keras_version_of, output_names
from runyard.bridge.models import takes_training


@pytest.fixture
def tf(tensorflow: Any) -> Any:
    return tensorflow


def subclassed(tf: Any, *, keras: KerasVersion, traced: bool, training: bool) -> Any:
    """A model that doubles its input in training, if it is told."""
    package = keras_module(keras)

    def plain(self: Any, inputs: Any) -> Any:
        return inputs

    def told(self: Any, inputs: Any, training: bool = False) -> Any:
        return inputs * 2 if training else inputs

    call = told if training else plain
    return type("Doubling", (package.Model,), {"call": tf.function(call) if traced else call})()


@pytest.mark.parametrize("traced", [False, True], ids=["python", "tf.function"])
def test_training_is_passed_to_models_that_take_it(tf: Any, keras: KerasVersion, traced: bool) -> None:
    model = subclassed(tf, keras=keras, traced=traced, training=True)
    assert takes_training(model)
    assert float(call_model(model, tf.ones((1,)), training=True)[0]) == 2.0
    assert float(call_model(model, tf.ones((1,)), training=False)[0]) == 1.0


@pytest.mark.parametrize("traced", [False, True], ids=["python", "tf.function"])
def test_training_is_kept_from_models_that_do_not_take_it(tf: Any, keras: KerasVersion, traced: bool) -> None:
    model = subclassed(tf, keras=keras, traced=traced, training=False)
    assert not takes_training(model)
    assert float(call_model(model, tf.ones((1,)), training=True)[0]) == 1.0


@pytest.mark.parametrize("kind", ["functional", "sequential"])
def test_training_reaches_the_layers(tf: Any, keras: KerasVersion, kind: str) -> None:
    package = keras_module(keras)
    dropout = package.layers.Dropout(0.5, seed=1)
    if kind == "sequential":
        model = package.Sequential([dropout])
    else:
        given = package.Input((100,))
        model = package.Model(given, dropout(given))
    ones = tf.ones((1, 100))
    assert float(tf.reduce_min(call_model(model, ones, training=False))) == 1.0
    assert float(tf.reduce_min(call_model(model, ones, training=True))) == 0.0


def test_python_conditions_work_where_our_functions_are_traced(tf: Any) -> None:
    def call(self: Any, inputs: Any) -> Any:
        if tf.reduce_sum(inputs) > 0:
            return inputs + 1.0
        return inputs - 1.0

    model = type("Branching", (keras_module(2).Model,), {"call": call})()
    step = tf.function(lambda x: call_model(model, x, training=True), autograph=False)
    assert step(tf.constant([1.0])).numpy().tolist() == [2.0]
    assert step(tf.constant([-1.0])).numpy().tolist() == [-2.0]


def test_the_version_of_a_model_is_known(keras: KerasVersion) -> None:
    assert keras_version_of(keras_module(keras).Sequential([])) == keras


def test_other_things_are_no_models(tf: Any) -> None:
    assert keras_version_of(tf.Module()) is None
    assert keras_version_of(None) is None


def test_outputs_are_called_as_the_model_calls_them(keras: KerasVersion) -> None:
    package = keras_module(keras)
    given = package.Input((3,))
    outputs = [package.layers.Dense(1, name="click")(given), package.layers.Dense(1, name="buy")(given)]
    assert output_names(package.Model(given, outputs), count=2) == ["click", "buy"]


def test_outputs_of_one_layer_have_names_of_their_own(keras: KerasVersion) -> None:
    package = keras_module(keras)
    left, right = package.Input((3,)), package.Input((3,))
    score = package.layers.Dense(1, name="score")
    model = package.Model([left, right], [score(left), score(right)])
    assert output_names(model, count=2) == ["score", "score_1"]


def test_outputs_without_names_are_numbered(tf: Any, keras: KerasVersion) -> None:
    model = subclassed(tf, keras=keras, traced=False, training=False)
    assert output_names(model, count=2) == ["output_1", "output_2"]
