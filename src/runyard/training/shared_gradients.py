"""What the workers tell each other about a step: rows, losses and gradients, in as few tensors as possible.

Each worker multiplies what it has by the number of its rows; the sums over all workers, divided by the number of all
rows, are what one process with all these rows in one batch would have. A worker that has no batch adds zeros.

Dense tensors of one type travel as one vector. Rows of embeddings stay rows (`row_exchange`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from runyard.training.backward import Backward
from runyard.training.flat_layout import FlatLayout
from runyard.training.row_exchange import Places, exchange_rows

_HEAD = tf.float32
"""The type of the vector that begins with counts and losses."""


@dataclass(frozen=True)
class SharedStep:
    """What all workers have given for one step.

    Args:
        batches: how many workers had one.
        rows: of all batches.
        result: as one process would have found it, without the outputs of the model.
    """

    batches: Any
    rows: Any
    result: Backward


class SharedGradients:
    """Packs what one batch gave, and unpacks what all gave.

    Args:
        result, rows: of a batch; `packed` holds the same as a list of tensors.
        shapes: of the variables.
        size, index: of the workers, and which of them this is.
    """

    def __init__(self, result: Backward, *, rows: Any, shapes: Sequence[Any], size: int = 1, index: int = 0) -> None:
        self._result = result
        self._size = size
        self._index = index
        self._flat = [gradient for task in result.tasks for gradient in task]
        shaped = list(zip(self._flat, [*shapes] * len(result.tasks), strict=True))
        self._slices = [(each, shape) for each, shape in shaped if isinstance(each, tf.IndexedSlices)]
        dense = [(each, shape) for each, shape in shaped if _is_dense(each)]
        self._kinds = [_HEAD, *dict.fromkeys(each.dtype for each, _ in dense if each.dtype != _HEAD)]
        numbers = [result.total, *result.losses]
        self._losses = len(numbers)
        by_kind = {kind: [each for each, _ in dense if each.dtype == kind] for kind in self._kinds}
        by_kind[_HEAD] = [*(tf.cast(number, _HEAD) for number in numbers), *by_kind[_HEAD]]
        self._layouts = {
            kind: FlatLayout([shape for each, shape in dense if each.dtype == kind]) for kind in self._kinds
        }
        # A batch without rows has losses that are not numbers, and nothing to say.
        vectors = [_times(self._layouts[kind].join(by_kind[kind]), rows) for kind in self._kinds]
        vectors[0] = tf.concat([self._counts(rows), vectors[0]], 0)
        values = [_times(tf.ensure_shape(each.values, [None, *shape[1:]]), rows) for each, shape in self._slices]
        self.packed = [*vectors, *values, *(tf.cast(each.indices, tf.int64) for each, _ in self._slices)]

    def joined(self, packed: Sequence[Sequence[Any]]) -> Sequence[Any]:
        """What several batches of this worker gave, as if it were one."""
        if len(packed) == 1:
            return packed[0]
        kinds = len(self._kinds)
        columns = list(zip(*packed, strict=True))
        return [*map(tf.add_n, columns[:kinds]), *(tf.concat(rows, 0) for rows in columns[kinds:])]

    def unpacked(self, packed: Sequence[Any], *, sum_vector: Callable[[Any], Any] = tf.identity) -> SharedStep:
        """What all workers have packed, from what this one has."""
        summed = [sum_vector(vector) for vector in packed[: len(self._kinds)]]
        counts, losses, dense = tf.split(summed[0], [self._head_size, self._losses, -1])
        rows = counts[1]

        def mean(tensor: Any) -> Any:
            return tf.math.divide_no_nan(tensor, tf.cast(rows, tensor.dtype))

        vectors = [dense, *summed[1:]]
        found = {
            kind: iter(self._layouts[kind].split(mean(vector)))
            for kind, vector in zip(self._kinds, vectors, strict=True)
        }
        slices = iter(self._rows_of_all(packed[len(self._kinds) :], counts=counts, mean=mean, sum_vector=sum_vector))
        flat = [_next_like(each, dense=found, slices=slices) for each in self._flat]
        total, *single = tf.unstack(mean(losses), num=self._losses)
        width = len(self._flat) // len(self._result.tasks)
        tasks = [flat[start : start + width] for start in range(0, len(flat), width)]
        result = Backward(None, total, single, tasks, regularised=self._result.regularised)
        return SharedStep(counts[0], tf.cast(rows, tf.int64), result)

    @property
    def _head_size(self) -> int:
        return 2 + self._size * len(self._slices)

    def _counts(self, rows: Any) -> Any:
        """One batch, its rows, and for each embedding how many rows of it this worker has."""
        mine = tf.one_hot(self._index, self._size, dtype=_HEAD)
        lengths = [mine * tf.cast(tf.shape(each.indices)[0], _HEAD) for each, _ in self._slices]
        return tf.concat([tf.stack([tf.constant(1, _HEAD), tf.cast(rows, _HEAD)]), *lengths], 0)

    def _rows_of_all(self, packed: Sequence[Any], *, counts: Any, mean: Any, sum_vector: Any) -> list[Any]:
        """The rows of all workers, for each embedding."""
        number = len(self._slices)
        if not number:
            return []
        joined = packed
        if self._size > 1:
            lengths = tf.cast(tf.reshape(counts[2:], [number, self._size]), tf.int32)
            places = [Places(lengths[which], index=self._index) for which in range(number)]
            joined = exchange_rows(packed, places=[*places, *places], sum_vector=sum_vector)
        return [
            tf.IndexedSlices(mean(values), tf.cast(where, each.indices.dtype), tf.constant(shape.as_list()))
            for values, where, (each, shape) in zip(joined[:number], joined[number:], self._slices, strict=True)
        ]


def _is_dense(gradient: Any) -> bool:
    return gradient is not None and not isinstance(gradient, tf.IndexedSlices)


def _next_like(gradient: Any, *, dense: Any, slices: Any) -> Any:
    if gradient is None:
        return None
    return next(slices) if isinstance(gradient, tf.IndexedSlices) else next(dense[gradient.dtype])


def _times(tensor: Any, rows: Any) -> Any:
    return tf.math.multiply_no_nan(tensor, tf.cast(rows, tensor.dtype))
