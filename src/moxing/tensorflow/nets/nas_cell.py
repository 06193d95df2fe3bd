"""The cells that NASNet (arXiv 1707.07012) and PNASNet (arXiv 1712.00559) have found, with TF-Slim's names."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]
import tf_slim as slim

Drop = Callable[[Any], Any]
Choice = tuple[str, int]
"""An operation, and the number of the state that it is applied to."""

_SAME = "same"
_MEAN = "mean"
_LARGEST = "largest"
_SEPARABLE = {"3x3": 3, "5x5": 5, "7x7": 7}


@dataclass(frozen=True)
class Cell:
    """Five sums of two choices each; state 0 is the input, state 1 the output of the cell before it, then the sums.

    Attributes:
        joined: the states that are the cell's output.
    """

    sums: tuple[tuple[Choice, Choice], ...]
    joined: tuple[int, ...]


NASNET_NORMAL = Cell(
    (
        (("5x5", 0), ("3x3", 1)),
        (("5x5", 1), ("3x3", 1)),
        ((_MEAN, 0), (_SAME, 1)),
        ((_MEAN, 1), (_MEAN, 1)),
        (("3x3", 0), (_SAME, 0)),
    ),
    joined=(1, 2, 3, 4, 5, 6),
)
NASNET_REDUCTION = Cell(
    (
        (("5x5", 0), ("7x7", 1)),
        ((_LARGEST, 0), ("7x7", 1)),
        ((_MEAN, 0), ("5x5", 1)),
        ((_SAME, 3), (_MEAN, 2)),
        (("3x3", 2), (_LARGEST, 0)),
    ),
    joined=(3, 4, 5, 6),
)
PNASNET = Cell(
    (
        (("5x5", 1), (_LARGEST, 1)),
        (("7x7", 0), (_LARGEST, 0)),
        (("5x5", 0), ("3x3", 0)),
        (("3x3", 4), (_LARGEST, 0)),
        (("3x3", 1), (_SAME, 0)),
    ),
    joined=(2, 3, 4, 5, 6),
)


def applied(cell: Cell, net: Any, before: Any, *, width: int, stride: int, drop: Drop) -> Any:
    """The output of a cell.

    Args:
        before: the output of the cell before the one that made `net`, if there is one.
        drop: what is done to the results of operations against overfitting.
    """
    states = [None, net if before is None else _fitted(before, net, width)]
    states[0] = _normalized_1x1(tf.nn.relu(net), width, scope="1x1", norm="beginning_bn")
    for number, (left, right) in enumerate(cell.sums):
        halves: list[Any] = []
        for side, (operation, state) in (("left", left), ("right", right)):
            with tf.variable_scope(f"comb_iter_{number}/{side}"):
                step = stride if state < 2 else 1
                changed = _operation(operation, states[state], width, step)
                halves.append(changed if operation == _SAME else drop(changed))
        states.append(halves[0] + halves[1])
    return tf.concat([_joinable(number, states[number], width) for number in cell.joined], 3)


def _joinable(number: int, state: Any, width: int) -> Any:
    if state.shape[3] == width:
        return state
    with tf.variable_scope(f"cell_output/reduction_{number}"):
        return _normalized_1x1(state, width, scope="path_conv", norm="path_bn")


def _fitted(before: Any, net: Any, width: int) -> Any:
    """An earlier output with the size of the input and the width of the cell."""
    if before.shape[2] != net.shape[2]:
        return _halved(tf.nn.relu(before), width)
    if before.shape[3] != width:
        return _normalized_1x1(tf.nn.relu(before), width, scope="prev_1x1", norm="prev_bn")
    return before


def _halved(net: Any, width: int) -> Any:
    """Half the height and width: half of the channels from even pixels, half from odd ones, so that none is lost."""
    shifted = tf.pad(net, [[0, 0], [0, 1], [0, 1], [0, 0]])[:, 1:, 1:]
    even = slim.conv2d(net[:, ::2, ::2], width // 2, 1, scope="path1_conv")
    odd = slim.conv2d(shifted[:, ::2, ::2], width // 2, 1, scope="path2_conv")
    return slim.batch_norm(tf.concat([even, odd], 3), scope="final_path_bn")


def _operation(name: str, net: Any, width: int, stride: int) -> Any:
    if name in _SEPARABLE:
        return _separable_twice(net, width, stride, _SEPARABLE[name])
    if name == _SAME:
        if stride == 1 and net.shape[3] == width:
            return net
        return _normalized_1x1(tf.nn.relu(net), width, scope="1x1", norm="bn_1", stride=stride)
    pool = slim.avg_pool2d if name == _MEAN else slim.max_pool2d
    pooled = pool(net, 3, stride, "SAME")
    return pooled if net.shape[3] == width else _normalized_1x1(pooled, width, scope="1x1", norm="bn_1")


def _separable_twice(net: Any, width: int, stride: int, kernel: int) -> Any:
    for number, step in ((1, stride), (2, 1)):
        name = f"{kernel}x{kernel}_{number}"
        net = slim.separable_conv2d(tf.nn.relu(net), width, kernel, 1, step, scope=f"separable_{name}")
        net = slim.batch_norm(net, scope=f"bn_sep_{name}")
    return net


def _normalized_1x1(net: Any, width: int, *, scope: str, norm: str, stride: int = 1) -> Any:
    return slim.batch_norm(slim.conv2d(net, width, 1, stride, scope=scope), scope=norm)
