"""MobileNet (arXiv 1704.04861): convolutions of each channel by itself, then of all channels at one place."""

from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]
import tf_slim as slim

from moxing.tensorflow.nets.arrangement import normalized_layers

_WIDTHS = (64, 128, 128, 256, 256, 512, 512, 512, 512, 512, 512, 1024, 1024)
_STRIDES = (1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1)
_NARROWEST = 8


def layers(weight_decay: float) -> Any:
    """The weights of single channels are too few to be kept small."""
    return normalized_layers(
        weight_decay,
        decay=0.9997,
        epsilon=0.001,
        activation=tf.nn.relu6,
        initializer=tf.truncated_normal_initializer(stddev=0.09),
    )


def mobilenet_v1(
    images: Any, num_classes: int, *, is_training: bool, width: float = 1.0, dropout_keep_prob: float = 0.999
) -> tuple[Any, dict[str, Any]]:
    """Thirteen pairs of convolutions.

    Args:
        width: the share of the channels that layers have.
    """
    points: dict[str, Any] = {}
    depthwise = slim.arg_scope(
        [slim.separable_conv2d], weights_initializer=tf.truncated_normal_initializer(stddev=0.09)
    )
    with (
        tf.variable_scope("MobilenetV1"),
        slim.arg_scope([slim.batch_norm, slim.dropout], is_training=is_training),
        depthwise,
    ):
        net = points["Conv2d_0"] = slim.conv2d(images, _channels(32, width), 3, stride=2, scope="Conv2d_0")
        for number, (channels, stride) in enumerate(zip(_WIDTHS, _STRIDES, strict=True), start=1):
            name = f"Conv2d_{number}_depthwise"
            net = points[name] = slim.separable_conv2d(net, None, 3, stride=stride, scope=name)
            name = f"Conv2d_{number}_pointwise"
            net = points[name] = slim.conv2d(net, _channels(channels, width), 1, scope=name)
        with tf.variable_scope("Logits"):
            net = points["global_pool"] = tf.reduce_mean(net, [1, 2], keepdims=True)
            net = slim.dropout(net, dropout_keep_prob, scope="Dropout_1b")
            logits = slim.conv2d(net, num_classes, 1, activation_fn=None, normalizer_fn=None, scope="Conv2d_1c_1x1")
        points |= {"Logits": logits, "Predictions": tf.nn.softmax(logits)}
    return logits, points


def _channels(usual: int, width: float) -> int:
    return max(int(usual * width), _NARROWEST)
