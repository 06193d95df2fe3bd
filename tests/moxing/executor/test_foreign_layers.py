"""Layers that do not belong into the graph of a run."""

import importlib
from typing import Any

import pytest
import tensorflow as tf2
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from tests.moxing.executor.models import run


def _model(layer: Any) -> Any:
    def model_fn(inputs: Any, mode: str) -> Any:
        loss = tf.reduce_mean(layer(inputs[0]) ** 2)
        return mox.ModelSpec(loss=loss, log_info={"loss": loss})

    return model_fn


def test_a_model_that_was_made_outside_model_fn() -> None:
    ends = tf2.keras.layers.Input([6])
    with pytest.raises(ValueError, match=r"made outside of it: .*\n  hint: make it within model_fn.*model_from_json"):
        run(model_fn=_model(tf2.keras.Model(ends, tf2.keras.layers.Dense(1)(ends))))


def test_a_layer_of_the_run_before() -> None:
    model_fn = _model(tf2.keras.layers.Dense(1))
    run(model_fn=model_fn)
    with pytest.raises(ValueError, match="made outside of it: every run has a graph of its own"):
        run(model_fn=model_fn)


def test_other_errors_of_model_fn_stay_what_they_are() -> None:
    def broken(_: Any) -> Any:
        raise ValueError("mine")

    with pytest.raises(ValueError, match=r"^mine$"):
        run(model_fn=_model(broken))


def test_layers_of_keras_3_are_refused() -> None:
    layers = importlib.import_module("keras").layers
    with pytest.raises(ValueError, match=r"a layer of Keras 3.*\n  hint: use tf.keras"):
        run(model_fn=_model(layers.Dense(1)))
