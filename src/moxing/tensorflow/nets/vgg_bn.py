"""VGG (arXiv 1409.1556) with batch normalisation after every convolution."""

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]
import tf_slim as slim

from moxing.tensorflow.nets.arrangement import normalized_layers

_WIDTHS = (64, 128, 256, 512, 512)


def layers(weight_decay: float) -> Any:
    return normalized_layers(weight_decay, decay=0.997, epsilon=1e-5)


def vgg_bn(
    images: Any,
    num_classes: int,
    *,
    is_training: bool,
    scope: str,
    convolutions: Sequence[int],
    dropout_keep_prob: float = 0.5,
) -> tuple[Any, dict[str, Any]]:
    """Five groups of convolutions and three dense layers.

    Args:
        scope: the name of the network.
        convolutions: how many each group has.
    """
    points: dict[str, Any] = {}
    net = images
    with tf.variable_scope(scope), slim.arg_scope([slim.batch_norm, slim.dropout], is_training=is_training):
        for group, (count, width) in enumerate(zip(convolutions, _WIDTHS, strict=True), start=1):
            net = slim.repeat(net, count, slim.conv2d, width, [3, 3], scope=f"conv{group}")
            net = points[f"{scope}/pool{group}"] = slim.max_pool2d(net, [2, 2], scope=f"pool{group}")
        with slim.arg_scope([slim.conv2d], normalizer_fn=None):
            net = points[f"{scope}/fc6"] = slim.conv2d(net, 4096, [7, 7], padding="VALID", scope="fc6")
            net = slim.dropout(net, dropout_keep_prob, scope="dropout6")
            net = points[f"{scope}/fc7"] = slim.conv2d(net, 4096, [1, 1], scope="fc7")
            net = slim.dropout(net, dropout_keep_prob, scope="dropout7")
            net = points[f"{scope}/fc8"] = slim.conv2d(net, num_classes, [1, 1], activation_fn=None, scope="fc8")
    return net, points
