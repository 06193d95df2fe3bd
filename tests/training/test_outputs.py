from typing import Any

import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module
from runyard.errors import DataError
from runyard.training.outputs import OutputLayout, layout_of, trace_outputs
from tests.training.forms import BY_KEY, ONE_OUTPUT, TWO_OUTPUTS


def test_one_tensor_is_one_output(keras: KerasVersion) -> None:
    package = keras_module(keras)
    model = package.Sequential([package.Input((2,)), package.layers.Dense(1, name="score")])
    layout = layout_of(model, model(tf.ones((3, 2))))
    assert layout.single and layout.names in [("score",), ("output_1",)]
    assert layout.flatten("tensor") == ["tensor"]


def test_lists_of_outputs_keep_their_order(keras: KerasVersion) -> None:
    package = keras_module(keras)
    given = package.Input((2,))
    model = package.Model(given, [package.layers.Dense(1, name=name)(given) for name in ("click", "buy")])
    layout = layout_of(model, model(tf.ones((3, 2))))
    assert layout == TWO_OUTPUTS
    assert layout.flatten(["c", "b"]) == ["c", "b"]


def test_dicts_of_outputs_are_sorted_by_name(keras: KerasVersion) -> None:
    package = keras_module(keras)
    given = package.Input((2,))
    outputs = {name: package.layers.Dense(1, name=f"layer_{name}")(given) for name in ("click", "buy")}
    model = package.Model(given, outputs)
    layout = layout_of(model, model(tf.ones((3, 2))))
    assert layout == BY_KEY
    assert layout.flatten({"click": "c", "buy": "b"}) == ["b", "c"]


@pytest.mark.parametrize(
    ("layout", "structure", "expected"),
    [
        (ONE_OUTPUT, "y", ["y"]),
        (ONE_OUTPUT, ("y",), ["y"]),
        (ONE_OUTPUT, {"anything": "y"}, ["y"]),
        (TWO_OUTPUTS, None, [None, None]),
        (TWO_OUTPUTS, "y", ["y", "y"]),
        (TWO_OUTPUTS, ("c", "b"), ["c", "b"]),
        (TWO_OUTPUTS, ["c", "b", "unused"], ["c", "b"]),
        (TWO_OUTPUTS, {"buy": "b", "click": "c"}, ["c", "b"]),
        (TWO_OUTPUTS, {"buy": "b"}, [None, "b"]),
        (BY_KEY, {"click": "c", "buy": "b"}, ["b", "c"]),
    ],
)
def test_labels_are_spread_over_outputs(layout: OutputLayout, structure: Any, expected: list[Any]) -> None:
    assert layout.spread(structure, what="labels") == expected


def test_names_that_no_output_has_are_refused() -> None:
    with pytest.raises(DataError, match=r"the labels have the names \['buy', 'share'\].*\['click', 'buy'\]"):
        TWO_OUTPUTS.spread({"buy": 1, "share": 2}, what="labels")


def test_too_few_labels_are_refused() -> None:
    with pytest.raises(DataError, match="there are 1 weights for 2 outputs"):
        TWO_OUTPUTS.spread(("c",), what="weights")


def test_outputs_are_traced_without_data(keras: KerasVersion) -> None:
    package = keras_module(keras)
    model = package.Sequential([package.layers.Dense(3)])
    outputs = trace_outputs(model, tf.TensorSpec([None, 2]))
    assert outputs.shape.as_list() == [None, 3]
    assert len(model.trainable_variables) == 2
