"""Rows that each worker has, given to all of them, with nothing but sums.

Each worker has a place of its own in one vector of whole numbers, as long as the longest needs, and fills it with the
bits of its rows; the others have zeros there, so that the sum over all workers holds the rows of all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

_SHORTEST = 2**10
_LENGTHS = [_SHORTEST * 2**power for power in range(20)]
"""An operation of the loop must always exchange the same number of numbers, so there is one for each of these."""

SumVector = Callable[[Any], Any]


@dataclass(frozen=True)
class Places:
    """Where the rows of each worker are.

    Args:
        lengths: how many rows each worker has.
        index: of this one.
    """

    lengths: Any
    index: int

    @property
    def longest(self) -> Any:
        return tf.reduce_max(self.lengths)

    def put(self, rows: Any) -> Any:
        """A vector with the rows of this worker at its place.

        Args:
            rows: of whole numbers, [rows, numbers].
        """
        padded = tf.pad(rows, [[0, self.longest - tf.shape(rows)[0]], [0, 0]])
        after = self.lengths.shape[0] - self.index - 1
        return tf.reshape(tf.pad(padded[tf.newaxis], [[self.index, after], [0, 0], [0, 0]]), [-1])

    def take(self, vector: Any, *, width: int) -> Any:
        """The rows of all workers, those of the first worker first."""
        table = tf.reshape(vector, [self.lengths.shape[0], self.longest, width])
        return tf.boolean_mask(table, tf.sequence_mask(self.lengths, self.longest))


def exchange_rows(mine: Sequence[Any], *, places: Sequence[Places], sum_vector: SumVector) -> list[Any]:
    """The rows of all workers instead of those of this one, for each tensor; in one exchange."""
    numbers = [_as_numbers(tensor) for tensor in mine]
    vectors = [place.put(rows) for place, rows in zip(places, numbers, strict=True)]
    total = _sum_any_length(tf.concat(vectors, 0), sum_vector=sum_vector)
    parts = tf.split(total, [tf.shape(vector)[0] for vector in vectors], num=len(vectors))
    return [
        _from_numbers(place.take(part, width=rows.shape[1]), like=tensor)
        for place, part, rows, tensor in zip(places, parts, numbers, mine, strict=True)
    ]


def _sum_any_length(vector: Any, *, sum_vector: SumVector) -> Any:
    size = tf.shape(vector)[0]

    def of_length(length: int) -> Callable[[], Any]:
        def branch() -> Any:
            missing: Any = length - size
            padded = tf.ensure_shape(tf.pad(vector, [[0, missing]]), [length])
            return sum_vector(padded)[:size]

        return branch

    # All workers have the same size, so all take the same branch.
    chosen = tf.reduce_sum(tf.cast(size > tf.constant(_LENGTHS), tf.int32))
    return tf.switch_case(chosen, [of_length(length) for length in _LENGTHS])


def _as_numbers(tensor: Any) -> Any:
    """The bits of each row as whole numbers. Half precision becomes single precision, which loses nothing."""
    bits = tf.bitcast(tf.cast(tensor, _travelling(tensor.dtype)), tf.int32)
    width = tf.TensorShape(bits.shape[1:]).num_elements()
    return tf.reshape(bits, [tf.shape(bits)[0], width])


def _from_numbers(rows: Any, *, like: Any) -> Any:
    kind = _travelling(like.dtype)
    pair = [2] if kind.size == 8 else []
    return tf.cast(tf.bitcast(tf.reshape(rows, [-1, *like.shape[1:], *pair]), kind), like.dtype)


def _travelling(kind: Any) -> Any:
    return tf.float32 if kind.size == 2 else kind
