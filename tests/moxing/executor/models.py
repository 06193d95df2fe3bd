"""Small data and models that start with the same weights every time."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox

_RANDOM = np.random.RandomState(0)
FEATURES = _RANDOM.rand(96, 6).astype(np.float32)
LABELS = (FEATURES.sum(1) > 3).astype(np.int64)
Values = Mapping[str, Any]


def fixed(*shape: int) -> Any:
    """An initializer that depends on the shape alone."""
    return tf.constant_initializer(np.random.RandomState(sum(shape)).uniform(-0.5, 0.5, shape))


def samples(mode: str, **_: Any) -> Any:
    """One row at a time; without end in TRAIN."""
    data = tf.data.Dataset.from_tensor_slices((FEATURES, LABELS))
    data = data.repeat() if mode == mox.ModeKeys.TRAIN else data
    return tf.data.make_one_shot_iterator(data).get_next()


def batches(mode: str, **_: Any) -> Any:
    """Eight rows at a time; without end in TRAIN."""
    data = tf.data.Dataset.from_tensor_slices((FEATURES, LABELS))
    data = data.repeat() if mode == mox.ModeKeys.TRAIN else data
    return tf.data.make_one_shot_iterator(data.batch(8)).get_next()


def dense(x: Any, size: int, *, name: str) -> Any:
    inner = x.shape.as_list()[-1]
    kernel = tf.get_variable(f"{name}/kernel", [inner, size], initializer=fixed(inner, size))
    return x @ kernel + tf.get_variable(f"{name}/bias", [size], initializer=tf.zeros_initializer())


def classifier(inputs: Any, mode: str, **_: Any) -> Any:
    """Two layers."""
    x, labels = inputs
    logits = dense(tf.nn.relu(dense(x, 8, name="hidden")), 2, name="logits")
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    accuracy = tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, labels, 1), tf.float32))
    return mox.ModelSpec(
        loss=loss,
        log_info={"loss": loss, "accuracy": accuracy},
        output_info={"label": labels, "logits": logits},
        export_spec=mox.ExportSpec(inputs_dict={"x": x}, outputs_dict={"logits": logits}),
    )


def run(**arguments: Any) -> None:
    """A training of five steps, unless something else is said."""
    usual: dict[str, Any] = {
        "input_fn": samples,
        "model_fn": classifier,
        "batch_size": 8,
        "run_mode": mox.ModeKeys.TRAIN,
        "max_number_of_steps": 5,
    }
    if arguments.get("run_mode", mox.ModeKeys.TRAIN) == mox.ModeKeys.TRAIN:
        usual["optimizer_fn"] = mox.get_optimizer_fn("sgd", learning_rate=0.1)
    mox.run(**{**usual, **arguments})


def weights(path: Any) -> dict[str, Any]:
    """All values of the newest checkpoint in a folder."""
    reader = tf.train.load_checkpoint(str(path))
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def lines(text: str, beginning: str = "") -> list[str]:
    """The console lines that begin so, without what all have."""
    shown = [line.removeprefix("INFO:tensorflow:").removeprefix("WARNING:tensorflow:") for line in text.splitlines()]
    return [line for line in shown if line.startswith(beginning)]


def steps(text: str) -> list[int]:
    """The numbers of the steps that have a line."""
    return [int(number) for number in re.findall(r"^INFO:tensorflow:step: (\d+)", text, flags=re.MULTILINE)]


def assert_same(first: Values, second: Values, *, tolerance: float = 0.0) -> None:
    assert first.keys() == second.keys()
    for name in first:
        np.testing.assert_allclose(first[name], second[name], rtol=0, atol=tolerance, err_msg=name)
