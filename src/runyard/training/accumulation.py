"""Gradients of several batches make one step."""

from collections.abc import Sequence
from typing import Any

import tensorflow as tf


class Accumulation:
    """Sums of gradients over rows, and how many batches and rows they hold: a short batch counts for its rows only."""

    def __init__(self, variables: Sequence[Any], *, batches: int) -> None:
        self._batches = batches
        self._sums = [_beside(variable) for variable in variables]
        self._used: set[int] = set()
        """Places of the variables that get gradients; the others must not get zeros, which move some optimizers."""
        self._count = tf.Variable(tf.constant(0, tf.int64), trainable=False, name="accumulated_batches")
        self._rows = tf.Variable(tf.constant(0, tf.int64), trainable=False, name="accumulated_rows")

    @property
    def variables(self) -> list[Any]:
        return [*self._sums, self._count, self._rows]

    @property
    def full(self) -> Any:
        return self._count >= self._batches

    @property
    def pending(self) -> Any:
        return self._count > 0

    def add(self, gradients: Sequence[Any], *, rows: Any) -> None:
        """Takes in the mean gradients of a batch of so many rows."""
        for place, (total, gradient) in enumerate(zip(self._sums, gradients, strict=True)):
            if gradient is not None:
                self._used.add(place)
                total.assign_add(tf.convert_to_tensor(gradient) * tf.cast(rows, total.dtype))
        self._count.assign_add(1)
        self._rows.assign_add(rows)

    def take(self) -> list[Any]:
        """The mean gradients, None for variables that never had one; starts over."""
        means = {place: self._sums[place] / tf.cast(self._rows, self._sums[place].dtype) for place in self._used}
        with tf.control_dependencies(list(means.values())):
            for total in self._sums:
                total.assign(tf.zeros_like(total))
            self._count.assign(0)
            self._rows.assign(0)
        return [means.get(place) for place in range(len(self._sums))]


def _beside(variable: Any) -> Any:
    """Zeros in the shape of a variable, on its device."""
    with tf.device(variable.device):
        return tf.Variable(tf.zeros_like(variable), trainable=False, name="gradients")
