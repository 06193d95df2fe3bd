"""MobileNetV2 (arXiv 1801.04381): units that widen, look at each channel by itself, and narrow again."""

from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]
import tf_slim as slim

from moxing.tensorflow.nets.mobilenet import mobile_end, mobile_layers, mobile_scope

_WIDENING = 6
_LAST = 1280


class _Group(NamedTuple):
    channels: int
    units: int
    stride: int


_GROUPS = (
    _Group(16, 1, 1),
    _Group(24, 2, 2),
    _Group(32, 3, 2),
    _Group(64, 4, 2),
    _Group(96, 3, 1),
    _Group(160, 3, 2),
    _Group(320, 1, 1),
)


def layers(weight_decay: float) -> Any:
    return mobile_layers(weight_decay, decay=0.997)


def mobilenet_v2(
    images: Any, num_classes: int, *, is_training: bool, width: float = 1.0, dropout_keep_prob: float = 0.8
) -> tuple[Any, dict[str, Any]]:
    """Seventeen units.

    Args:
        width: the share of the channels that layers have; the last convolution has never less than all.
    """
    points: dict[str, Any] = {}
    with mobile_scope("MobilenetV2", is_training=is_training):
        net = points["layer_1"] = slim.conv2d(images, _channels(32 * width), 3, stride=2, scope="Conv")
        number = 0
        for group in _GROUPS:
            for place in range(group.units):
                with tf.variable_scope(f"expanded_conv_{number}" if number else "expanded_conv"):
                    stride = group.stride if place == 0 else 1
                    net = _unit(net, _channels(group.channels * width), stride, widening=_WIDENING if number else 1)
                number += 1
                points[f"layer_{number + 1}"] = net
        net = points["layer_19"] = slim.conv2d(net, _channels(_LAST * max(width, 1.0)), 1, scope="Conv_1")
        return mobile_end(net, num_classes, dropout_keep_prob=dropout_keep_prob, points=points), points


def _unit(net: Any, channels: int, stride: int, *, widening: int) -> Any:
    given = net
    if widening > 1:
        net = slim.conv2d(net, int(given.shape[-1]) * widening, 1, scope="expand")
    net = slim.separable_conv2d(net, None, 3, stride=stride, scope="depthwise")
    net = slim.conv2d(net, channels, 1, activation_fn=None, scope="project")
    return net + given if stride == 1 and given.shape[-1] == channels else net


def _channels(wanted: float) -> int:
    """A multiple of 8 that is less than `wanted` by a tenth at most."""
    near = max(8, int(wanted + 4) // 8 * 8)
    return near + 8 if near < 0.9 * wanted else near
