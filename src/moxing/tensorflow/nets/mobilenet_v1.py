"""MobileNet (arXiv 1704.04861): convolutions of each channel by itself, then of all channels at one place."""

from typing import Any

import tf_slim as slim

from moxing.tensorflow.nets.mobilenet import mobile_end, mobile_layers, mobile_scope

_WIDTHS = (64, 128, 128, 256, 256, 512, 512, 512, 512, 512, 512, 1024, 1024)
_STRIDES = (1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1)
_NARROWEST = 8


def layers(weight_decay: float) -> Any:
    return mobile_layers(weight_decay, decay=0.9997)


def mobilenet_v1(
    images: Any, num_classes: int, *, is_training: bool, width: float = 1.0, dropout_keep_prob: float = 0.999
) -> tuple[Any, dict[str, Any]]:
    """Thirteen pairs of convolutions.

    Args:
        width: the share of the channels that layers have.
    """
    points: dict[str, Any] = {}
    with mobile_scope("MobilenetV1", is_training=is_training):
        net = points["Conv2d_0"] = slim.conv2d(images, _channels(32, width), 3, stride=2, scope="Conv2d_0")
        for number, (channels, stride) in enumerate(zip(_WIDTHS, _STRIDES, strict=True), start=1):
            name = f"Conv2d_{number}_depthwise"
            net = points[name] = slim.separable_conv2d(net, None, 3, stride=stride, scope=name)
            name = f"Conv2d_{number}_pointwise"
            net = points[name] = slim.conv2d(net, _channels(channels, width), 1, scope=name)
        return mobile_end(net, num_classes, dropout_keep_prob=dropout_keep_prob, points=points), points


def _channels(usual: int, width: float) -> int:
    return max(int(usual * width), _NARROWEST)
