"""PVANet (arXiv 1608.08021): units that use each filter twice, then Inception units, all residual."""

from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]
import tf_slim as slim

from moxing.tensorflow.nets.residual import projected


class _Twice(NamedTuple):
    """A 1x1 convolution, a 3x3 one whose outputs are used with both signs, and a 1x1 one."""

    inner: int
    out: int


class _Inception(NamedTuple):
    """The widths of the branches with one, two and three convolutions, and with pooling where the image shrinks."""

    ones: int
    threes: tuple[int, int]
    fives: tuple[int, int, int]
    out: int


_POOLED = 128
_BLOCKS: dict[str, tuple[_Twice | _Inception, int]] = {
    "conv2": (_Twice(24, 64), 3),
    "conv3": (_Twice(48, 128), 4),
    "conv4": (_Inception(64, (64, 128), (24, 48, 48), 256), 4),
    "conv5": (_Inception(64, (96, 192), (32, 64, 64), 384), 4),
}
_NARROWER_AT_FIRST = {"conv4": 48}


def pvanet(
    images: Any, num_classes: int, *, is_training: bool, dropout_keep_prob: float = 0.5
) -> tuple[Any, dict[str, Any]]:
    """Sixteen units and three dense layers, as it is trained for ImageNet."""
    points: dict[str, Any] = {}
    with tf.variable_scope("pvanet"), slim.arg_scope([slim.batch_norm, slim.dropout], is_training=is_training):
        net = points["conv1_1"] = _both_signs(images, 16, 7, 2, scope="conv1_1")
        net = slim.max_pool2d(net, 3, 2, "SAME", scope="pool1_1")
        for block, (unit, count) in _BLOCKS.items():
            for number in range(1, count + 1):
                stride = 2 if number == 1 and block != "conv2" else 1
                name = f"{block}_{number}"
                with tf.variable_scope(name):
                    net = points[name] = _residual(net, _first(block, unit) if number == 1 else unit, stride)
        with slim.arg_scope([slim.conv2d], normalizer_fn=None):
            for name, kernel in (("fc6", 7), ("fc7", 1)):
                net = points[name] = slim.conv2d(net, 4096, kernel, padding="VALID", scope=name)
                net = slim.dropout(net, dropout_keep_prob)
            logits = slim.conv2d(net, num_classes, 1, activation_fn=None, scope="logits")
        points |= {"Logits": logits, "Predictions": tf.nn.softmax(logits)}
    return logits, points


def _first(block: str, unit: _Twice | _Inception) -> _Twice | _Inception:
    if isinstance(unit, _Inception) and block in _NARROWER_AT_FIRST:
        return unit._replace(threes=(_NARROWER_AT_FIRST[block], unit.threes[1]))
    return unit


def _residual(net: Any, unit: _Twice | _Inception, stride: int) -> Any:
    inner = _twice(net, unit, stride) if isinstance(unit, _Twice) else _inception(net, unit, stride)
    change = slim.conv2d(inner, unit.out, 1, activation_fn=None, scope="out")
    return tf.nn.relu(projected(net, unit.out, stride) + change)


def _twice(net: Any, unit: _Twice, stride: int) -> Any:
    narrow = slim.conv2d(net, unit.inner, 1, scope="1x1")
    return _both_signs(narrow, unit.inner, 3, stride, scope="3x3")


def _inception(net: Any, unit: _Inception, stride: int) -> Any:
    branches = [slim.conv2d(net, unit.ones, 1, stride, scope="1x1")]
    threes = slim.conv2d(net, unit.threes[0], 1, scope="3x3_reduced")
    branches.append(slim.conv2d(threes, unit.threes[1], 3, stride, scope="3x3"))
    fives = slim.conv2d(net, unit.fives[0], 1, scope="5x5_reduced")
    fives = slim.conv2d(fives, unit.fives[1], 3, stride, scope="5x5_1")
    branches.append(slim.conv2d(fives, unit.fives[2], 3, scope="5x5_2"))
    if stride > 1:
        pooled = slim.max_pool2d(net, 3, stride, "SAME")
        branches.append(slim.conv2d(pooled, _POOLED, 1, scope="pooled"))
    return tf.concat(branches, 3)


def _both_signs(net: Any, width: int, kernel: int, stride: int, *, scope: str) -> Any:
    """Filters of first layers come in pairs of opposite signs; here each is learned once and used with both."""
    with tf.variable_scope(scope):
        found = slim.conv2d(net, width, kernel, stride, activation_fn=None, normalizer_fn=None, scope="conv")
        return tf.nn.relu(slim.batch_norm(tf.concat([found, tf.negative(found)], 3)))
