"""ResNets that TF-Slim has not: 18 layers, and 50 for large batches."""

from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]
import tf_slim as slim

from moxing.tensorflow.nets.arrangement import normalized_layers
from moxing.tensorflow.nets.residual import (
    Block,
    Unit,
    imagenet_root,
    padded_convolution,
    pooled_logits,
    projected,
    stacked,
)


def layers(weight_decay: float) -> Any:
    return normalized_layers(weight_decay, decay=0.997, epsilon=1e-5)


def resnet_v1_18(images: Any, num_classes: int, *, is_training: bool) -> tuple[Any, dict[str, Any]]:
    """Eight units of two convolutions."""
    blocks = [Block(64, 2, 1), Block(128, 2, 2), Block(256, 2, 2), Block(512, 2, 2)]
    return _for_imagenet(images, num_classes, blocks, _basic_unit, scope="resnet_v1_18", is_training=is_training)


def resnet_v1_50_8k(
    images: Any,
    num_classes: int,
    *,
    is_training: bool,
    official: bool = True,
    weights_initializer_params: dict[str, Any] | None = None,
) -> tuple[Any, dict[str, Any]]:
    """ResNet-50 as it is trained with batches of thousands (arXiv 1706.02677): every unit begins as the identity.

    Args:
        official: units shrink the image in their 3x3 convolution, as TensorFlow's official model does; if not, in
            the first, as in the paper.
        weights_initializer_params: arguments of TF-Slim's `variance_scaling_initializer`, such as
            `{"factor": 2.0, "mode": "FAN_OUT"}`.
    """
    blocks = [Block(256, 3, 1), Block(512, 4, 2), Block(1024, 6, 2), Block(2048, 3, 2)]
    initializer = slim.variance_scaling_initializer(**(weights_initializer_params or {}))

    def unit(net: Any, width: int, stride: int) -> Any:
        return _bottleneck(net, width, stride, stride_in_3x3=official)

    with slim.arg_scope([slim.conv2d], weights_initializer=initializer):
        return _for_imagenet(images, num_classes, blocks, unit, scope="resnet_v1_50_8k", is_training=is_training)


def _for_imagenet(
    images: Any, num_classes: int, blocks: list[Block], unit: Unit, *, scope: str, is_training: bool
) -> tuple[Any, dict[str, Any]]:
    points: dict[str, Any] = {}
    with tf.variable_scope(scope), slim.arg_scope([slim.batch_norm], is_training=is_training):
        net = imagenet_root(images, scope=scope, points=points)
        net = stacked(net, blocks, unit, scope=scope, points=points)
        return pooled_logits(net, num_classes, scope=scope, points=points), points


def _basic_unit(net: Any, width: int, stride: int) -> Any:
    with tf.variable_scope("basic_v1"):
        change = padded_convolution(net, width, 3, stride, scope="conv1")
        change = slim.conv2d(change, width, 3, activation_fn=None, scope="conv2")
        return tf.nn.relu(projected(net, width, stride) + change)


def _bottleneck(net: Any, width: int, stride: int, *, stride_in_3x3: bool) -> Any:
    first, second = (1, stride) if stride_in_3x3 else (stride, 1)
    begin_as_identity = {"param_initializers": {"gamma": tf.zeros_initializer()}}
    with tf.variable_scope("bottleneck_v1"):
        change = slim.conv2d(net, width // 4, 1, stride=first, scope="conv1")
        change = padded_convolution(change, width // 4, 3, second, scope="conv2")
        change = slim.conv2d(change, width, 1, activation_fn=None, normalizer_params=begin_as_identity, scope="conv3")
        return tf.nn.relu(projected(net, width, stride) + change)
