"""ResNeXt (arXiv 1611.05431) with 32 paths of width 4, in the paper's forms (b) and (c).

Both forms are the same function of the same variables; a checkpoint of one loads into the other under its own scope.
"""

from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]
import tf_slim as slim

from moxing.tensorflow.nets.residual import Block, imagenet_root, pooled_logits, projected, stacked

_PATHS = 32


def resnext(
    images: Any, num_classes: int, *, is_training: bool, scope: str, third_block: int, one_convolution: bool
) -> tuple[Any, dict[str, Any]]:
    """Four blocks.

    Args:
        scope: the name of the network.
        third_block: how many units that has.
        one_convolution: form (c), a grouped convolution; if not, form (b), a convolution for each path.
    """
    blocks = [Block(256, 3, 1), Block(512, 4, 2), Block(1024, third_block, 2), Block(2048, 3, 2)]
    points: dict[str, Any] = {}

    def unit(net: Any, width: int, stride: int) -> Any:
        with tf.variable_scope("bottleneck"):
            change = slim.conv2d(net, width // 2, 1, scope="conv1")
            change = separate_paths(change, stride, one_convolution=one_convolution)
            change = slim.conv2d(change, width, 1, activation_fn=None, scope="conv3")
            return tf.nn.relu(projected(net, width, stride) + change)

    with tf.variable_scope(scope), slim.arg_scope([slim.batch_norm], is_training=is_training):
        net = imagenet_root(images, scope=scope, points=points)
        net = stacked(net, blocks, unit, scope=scope, points=points)
        return pooled_logits(net, num_classes, scope=scope, points=points), points


def separate_paths(net: Any, stride: int, *, one_convolution: bool) -> Any:
    """A 3x3 convolution in which each path sees its own channels alone."""
    width = int(net.shape[-1])
    settings = slim.current_arg_scope().get(slim.arg_scope_func_key(slim.conv2d), {})
    with tf.variable_scope("conv2"):
        weights = slim.model_variable(
            "weights",
            [3, 3, width // _PATHS, width],
            dtype=net.dtype.base_dtype,
            initializer=settings["weights_initializer"],
            regularizer=settings["weights_regularizer"],
        )
        framed = tf.pad(net, [[0, 0], [1, 1], [1, 1], [0, 0]])
        if one_convolution:
            changed = tf.nn.conv2d(framed, weights, strides=stride, padding="VALID")
        else:
            pairs = zip(tf.split(framed, _PATHS, -1), tf.split(weights, _PATHS, -1), strict=True)
            changed = tf.concat([tf.nn.conv2d(x, w, strides=stride, padding="VALID") for x, w in pairs], -1)
        return tf.nn.relu(slim.batch_norm(changed))
