"""What both MobileNets have: their layers, the scope that they are built in, and their end."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]
import tf_slim as slim

from moxing.tensorflow.nets.arrangement import normalized_layers


def mobile_layers(weight_decay: float, *, decay: float) -> Any:
    """The weights of single channels are too few to be kept small."""
    return normalized_layers(
        weight_decay, decay=decay, epsilon=0.001, activation=tf.nn.relu6, initializer=_initializer()
    )


@contextmanager
def mobile_scope(name: str, *, is_training: bool) -> Iterator[None]:
    with (
        tf.variable_scope(name),
        slim.arg_scope([slim.batch_norm, slim.dropout], is_training=is_training),
        slim.arg_scope([slim.separable_conv2d], weights_initializer=_initializer()),
    ):
        yield


def mobile_end(net: Any, num_classes: int, *, dropout_keep_prob: float, points: dict[str, Any]) -> Any:
    """The logits, which are in `points` as well."""
    with tf.variable_scope("Logits"):
        net = points["global_pool"] = tf.reduce_mean(net, [1, 2], keepdims=True)
        net = slim.dropout(net, dropout_keep_prob, scope="Dropout_1b")
        logits = slim.conv2d(net, num_classes, 1, activation_fn=None, normalizer_fn=None, scope="Conv2d_1c_1x1")
    points |= {"Logits": logits, "Predictions": tf.nn.softmax(logits)}
    return logits


def _initializer() -> Any:
    return tf.truncated_normal_initializer(stddev=0.09)
