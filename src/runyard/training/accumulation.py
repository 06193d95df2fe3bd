"""Gradients of several batches make one step."""

from collections.abc import Sequence
from typing import Any

import tensorflow as tf


class Accumulation:
    """Sums of gradients, and how many batches are in them."""

    def __init__(self, variables: Sequence[Any], *, batches: int) -> None:
        self._batches = batches
        self._sums = [tf.Variable(tf.zeros_like(variable), trainable=False, name="gradients") for variable in variables]
        self._count = tf.Variable(tf.constant(0, tf.int64), trainable=False, name="accumulated_batches")

    @property
    def variables(self) -> list[Any]:
        return [*self._sums, self._count]

    @property
    def full(self) -> Any:
        return self._count >= self._batches

    @property
    def pending(self) -> Any:
        return self._count > 0

    def add(self, gradients: Sequence[Any]) -> None:
        for total, gradient in zip(self._sums, gradients, strict=True):
            total.assign_add(gradient)
        self._count.assign_add(1)

    def take(self) -> list[Any]:
        """The mean gradient; starts over."""
        count = tf.cast(self._count, tf.float32)
        means = [total / tf.cast(count, total.dtype) for total in self._sums]
        with tf.control_dependencies(means):
            for total in self._sums:
                total.assign(tf.zeros_like(total))
            self._count.assign(0)
        return means
