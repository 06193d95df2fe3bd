"""Placeholders that get no value."""

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
    told = rf"the placeholder 'keep' \(.*test_unfed\.py, line {line}\) gets no value"
    with pytest.raises(WrongValue, match=told) as refused:
        run(model_fn=model_fn)
    assert "FeedSessionRunHook" in str(refused.value)
