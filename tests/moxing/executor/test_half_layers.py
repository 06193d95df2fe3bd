"""`--use_fp16` and layers of Keras."""

from pathlib import Path
from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from tests.moxing.executor.models import run


def test_layers_compute_in_half_and_keep_their_variables_whole(tmp_path: Path) -> None:
    seen: list[Any] = []

    def model_fn(inputs: Any, mode: str) -> Any:
        x, labels = inputs
        hidden = tf2.keras.layers.Dense(8, activation="relu")(x)
        hidden = tf2.keras.layers.BatchNormalization()(hidden, training=True)
        ends = tf2.keras.layers.Input([8])
        logits = tf2.keras.Model(ends, tf2.keras.layers.Dense(2)(ends))(hidden)
        seen.extend([hidden.dtype, logits.dtype])
        loss = tf.losses.sparse_softmax_cross_entropy(labels, tf.cast(logits, tf.float32))
        return mox.ModelSpec(loss=loss, log_info={"loss": loss})

    before = tf2.keras.mixed_precision.global_policy().name
    mox.set_flag("use_fp16", True)
    run(model_fn=model_fn, log_dir=tmp_path)
    assert set(seen) == {tf.float16}
    kinds = tf.train.load_checkpoint(str(tmp_path)).get_variable_to_dtype_map()
    assert kinds["dense/kernel"] == kinds["dense_1/kernel"] == kinds["batch_normalization/gamma"] == tf.float32
    assert tf2.keras.mixed_precision.global_policy().name == before
