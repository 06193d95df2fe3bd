"""Running sums of losses over an epoch, kept in variables so that they do not depend on where calls are cut."""

from collections.abc import Sequence
from typing import Any

import tensorflow as tf


class LossSums:
    """The mean of each loss over the rows seen so far, as Keras logs it."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self._sums = tf.Variable(tf.zeros([len(names)], tf.float64), trainable=False, name="loss_sums")
        self._rows = tf.Variable(tf.constant(0, tf.int64), trainable=False, name="rows")

    @property
    def variables(self) -> list[Any]:
        return [self._sums, self._rows]

    def add(self, values: Sequence[Any], *, rows: Any) -> None:
        """Takes in the mean losses of a batch."""
        weight = tf.cast(rows, tf.float64)
        self._sums.assign_add(tf.cast(tf.stack(list(values)), tf.float64) * weight)
        self._rows.assign_add(tf.cast(rows, tf.int64))

    def means(self) -> dict[str, float]:
        rows = int(self._rows)
        means = self._sums.numpy() / rows if rows else self._sums.numpy() * float("nan")
        return {name: float(mean) for name, mean in zip(self.names, means, strict=True)}

    def numbers(self) -> list[float]:
        """The sums and the rows, to be added to those of other workers."""
        return [*map(float, self._sums.numpy()), float(self.rows)]

    def load_numbers(self, numbers: Sequence[float]) -> None:
        """Goes on from sums and rows as `numbers` gives them."""
        self._sums.assign(numbers[:-1])
        self._rows.assign(int(numbers[-1]))

    @property
    def rows(self) -> int:
        return int(self._rows)

    def reset(self) -> None:
        self._sums.assign(tf.zeros_like(self._sums))
        self._rows.assign(0)
