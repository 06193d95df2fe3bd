"""Operations of the program's that fail in a step."""

from typing import Any

import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from moxing.tensorflow.executor.failures import WrongValue
from tests.moxing.executor.models import classifier, run


def test_a_placeholder_that_nobody_feeds_is_named_with_its_line() -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        keep = tf.placeholder(tf.float32, [], name="keep")
        return mox.ModelSpec(loss=classifier(inputs, mode).loss * keep)

    line = model_fn.__code__.co_firstlineno + 1
    told = rf"the placeholder 'keep' \(.*test_graph_errors\.py, line {line}\) gets no value"
    with pytest.raises(WrongValue, match=told) as refused:
        run(model_fn=model_fn)
    assert "FeedSessionRunHook" in str(refused.value)


def test_an_operation_that_fails_is_told_with_its_line() -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        features, labels = inputs
        logits = tf.layers.dense(features, 2)
        return mox.ModelSpec(loss=tf.losses.sparse_softmax_cross_entropy(labels + 5, logits))

    with pytest.raises(tf.errors.InvalidArgumentError, match="outside the valid range") as failed:
        run(model_fn=model_fn)
    line = model_fn.__code__.co_firstlineno + 3
    assert failed.value.__notes__ == [f"  made at {__file__}, line {line}"]
    assert failed.value.__suppress_context__, "TensorFlow says all twice"
