"""The building blocks of Inception: several small stacks of layers beside each other, whose outputs are joined.

A layer is named as in TF-Slim, and its name tells its kernel: "0b_1x7" is the layer `Conv2d_0b_1x7`.
"""

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]
import tf_slim as slim

Layer = Callable[[Any], Any]


def conv(name: str, width: int, *, stride: int = 1, valid: bool = False, **options: Any) -> Layer:
    """A convolution; where it shrinks the image it has no padding.

    Args:
        valid: no padding, without a stride, too.
    """
    kernel = [int(length) for length in name.split("_")[-1].split("x")]
    padding = "VALID" if valid or stride > 1 else "SAME"
    return lambda net: slim.conv2d(net, width, kernel, stride, padding, scope=f"Conv2d_{name}", **options)


def shrink(net: Any) -> Any:
    """Half the height and width by the largest values."""
    return slim.max_pool2d(net, 3, 2, "VALID")


def mean(net: Any) -> Any:
    """The mean of the neighbourhood, in an image of the same size."""
    return slim.avg_pool2d(net, 3, 1, "SAME")


def both(first: Layer, second: Layer) -> Layer:
    """Two layers on the same input, joined."""
    return lambda net: tf.concat([first(net), second(net)], 3)


def chain(net: Any, *layers: Layer) -> Any:
    """One layer after the other."""
    for layer in layers:
        net = layer(net)
    return net


def towers(net: Any, *branches: tuple[Layer, ...]) -> Any:
    """All branches on the same input, in scopes `Branch_0`, `Branch_1`, ..., joined."""
    ends: list[Any] = []
    for number, branch in enumerate(branches):
        with tf.variable_scope(f"Branch_{number}"):
            ends.append(chain(net, *branch))
    return tf.concat(ends, 3)


def auxiliary_logits(net: Any, num_classes: int, *, name: str, whole_image: str) -> Any:
    """Logits from the middle of the network, which help its first layers to learn.

    Args:
        name: of the last layer.
        whole_image: of the layer that sees the whole image.
    """
    net = slim.conv2d(slim.avg_pool2d(net, 5, 3, "VALID"), 128, 1, scope="Conv2d_1b_1x1")
    net = slim.conv2d(net, 768, net.shape.as_list()[1:3], padding="VALID", scope=whole_image)
    return slim.fully_connected(slim.flatten(net), num_classes, activation_fn=None, scope=name)


def final_logits(net: Any, num_classes: int, *, keep: float, points: dict[str, Any]) -> Any:
    """The mean over the image, and the last layer."""
    with tf.variable_scope("Logits"):
        net = points["global_pool"] = tf.reduce_mean(net, [1, 2])
        net = points["PreLogitsFlatten"] = slim.dropout(net, keep, scope="Dropout")
        logits = slim.fully_connected(net, num_classes, activation_fn=None, scope="Logits")
    points |= {"Logits": logits, "Predictions": tf.nn.softmax(logits)}
    return logits
