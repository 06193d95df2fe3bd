"""ResNets for CIFAR (arXiv 1512.03385, section 4.2): 6n + 2 layers, and shortcuts without variables."""

from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]
import tf_slim as slim

from moxing.tensorflow.nets.residual import Block, padded_convolution, pooled_logits, stacked


def resnet_cifar(
    images: Any, num_classes: int, *, is_training: bool, scope: str, units: int
) -> tuple[Any, dict[str, Any]]:
    """Three blocks.

    Args:
        scope: the name of the network.
        units: how many each block has.
    """
    blocks = [Block(16, units, 1), Block(32, units, 2), Block(64, units, 2)]
    points: dict[str, Any] = {}
    with tf.variable_scope(scope), slim.arg_scope([slim.batch_norm], is_training=is_training):
        net = points[f"{scope}/conv1"] = slim.conv2d(images, 16, 3, scope="conv1")
        net = stacked(net, blocks, _unit, scope=scope, points=points)
        return pooled_logits(net, num_classes, scope=scope, points=points), points


def _unit(net: Any, width: int, stride: int) -> Any:
    with tf.variable_scope("basic_v1"):
        change = padded_convolution(net, width, 3, stride, scope="conv1")
        change = slim.conv2d(change, width, 3, activation_fn=None, scope="conv2")
        return tf.nn.relu(_shortcut(net, width, stride) + change)


def _shortcut(net: Any, width: int, stride: int) -> Any:
    """The input itself, with channels of zeros where the unit has more."""
    missing = width - net.shape[-1]
    thinned = net[:, ::stride, ::stride]
    return tf.pad(thinned, [[0, 0], [0, 0], [0, 0], [missing // 2, missing - missing // 2]]) if missing else thinned
