"""What residual networks (arXiv 1512.03385) have in common: units that add to what they get, in blocks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]
import tf_slim as slim

Unit = Callable[[Any, int, int], Any]
"""(input, width, stride) to output, under a variable scope of its own."""


@dataclass(frozen=True)
class Block:
    """Units of one width; the first has the stride."""

    width: int
    units: int
    stride: int


def stacked(net: Any, blocks: Sequence[Block], unit: Unit, *, scope: str, points: dict[str, Any]) -> Any:
    """All blocks, one after the other, with TF-Slim's names `block1/unit_1/...`."""
    for number, block in enumerate(blocks, start=1):
        for place in range(1, block.units + 1):
            with tf.variable_scope(f"block{number}/unit_{place}"):
                net = unit(net, block.width, block.stride if place == 1 else 1)
        points[f"{scope}/block{number}"] = net
    return net


def imagenet_root(images: Any, *, scope: str, points: dict[str, Any]) -> Any:
    """The first convolution and pooling of the networks for ImageNet: a quarter of the height and width."""
    net = points[f"{scope}/conv1"] = padded_convolution(images, 64, 7, 2, scope="conv1")
    return slim.max_pool2d(net, [3, 3], stride=2, padding="SAME", scope="pool1")


def padded_convolution(net: Any, width: int, kernel: int, stride: int, *, scope: str, **options: Any) -> Any:
    """A convolution whose padding does not depend on the image's size, as in TF-Slim's residual networks."""
    if stride == 1:
        return slim.conv2d(net, width, kernel, scope=scope, **options)
    before = (kernel - 1) // 2
    frame = [before, kernel - 1 - before]
    framed = tf.pad(net, [[0, 0], frame, frame, [0, 0]])
    return slim.conv2d(framed, width, kernel, stride=stride, padding="VALID", scope=scope, **options)


def projected(net: Any, width: int, stride: int) -> Any:
    """What a unit adds to: its input, brought to the unit's width and size."""
    if net.shape[-1] != width:
        return slim.conv2d(net, width, 1, stride=stride, activation_fn=None, scope="shortcut")
    return net if stride == 1 else net[:, ::stride, ::stride]


def pooled_logits(net: Any, num_classes: int, *, scope: str, points: dict[str, Any]) -> Any:
    """The mean over the image, and the last layer."""
    net = points["global_pool"] = tf.reduce_mean(net, [1, 2], keepdims=True, name="pool5")
    logits = slim.conv2d(net, num_classes, 1, activation_fn=None, normalizer_fn=None, scope="logits")
    points |= {f"{scope}/logits": logits, "predictions": tf.nn.softmax(logits)}
    return logits
