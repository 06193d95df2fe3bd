"""The model on many batches in one call: a loop inside the graph that gathers the outputs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from runyard.bridge import call_model
from runyard.data.batch_rows import rows_of
from runyard.predictions.columns import Columns, column_of, flat_outputs, refuse_repeat, refuse_uneven
from runyard.predictions.features import Features

_MOST_BATCHES = 256
_MOST_BYTES = 16 * 2**20


@dataclass(frozen=True)
class Chunk:
    """Rows of some batches: one array for each column, with one entry for each row."""

    arrays: tuple[np.ndarray, ...]
    rows: int

    def cut(self, start: int, stop: int) -> "Chunk":
        return Chunk(tuple(array[start:stop] for array in self.arrays), min(stop, self.rows) - start)

    def rows_with_nan(self) -> int:
        """How many rows have a number that is none."""
        found = np.zeros(self.rows, bool)
        for array in self.arrays:
            if self.rows and np.issubdtype(array.dtype, np.floating):
                found |= np.isnan(array).reshape(self.rows, -1).any(axis=1)
        return int(found.sum())


@dataclass(frozen=True)
class Call:
    """What a call of many batches brought. The tensors become arrays where they are needed."""

    tensors: Sequence[Any]
    rows: int
    batches: int
    ended: bool

    def chunk(self) -> Chunk:
        return Chunk(tuple(tensor.numpy() for tensor in self.tensors), self.rows)


class ForwardPass:
    """A model and the way to feed it.

    Args:
        element: the spec of a batch.

    Raises:
        DataError, ModelError: if the rows have no id, or the outputs are not one row per example. What TensorFlow and
            Keras raise when the inputs do not fit the model is passed on.
    """

    def __init__(self, model: Any, *, features: Features, element: Any) -> None:
        self._model = model
        self._features = features
        self.columns = self._trace(element)
        self._function = tf.function(self._run, autograph=False, reduce_retracing=True)

    def most_batches(self, batch_size: int) -> int:
        """How many batches fit into one call, so that what it brings stays small."""
        if not self.columns.fixed:
            return 1
        return max(1, min(_MOST_BATCHES, _MOST_BYTES // max(1, batch_size * self.columns.row_bytes)))

    def __call__(self, iterator: Any, *, at_most: int) -> Call:
        """Predicts so many batches, or those that are left.

        Raises:
            ModelError: if an output has not one row per example.
        """
        batches, rows, ended, tensors = self._function(iterator, tf.constant(at_most))
        call = Call(tensors, int(rows), int(batches), bool(ended))
        refuse_uneven([int(tensor.shape[0]) for tensor in tensors], columns=self.columns, rows=call.rows)
        return call

    def _one_batch(self, batch: Any) -> tuple[Any, dict[str, Any]]:
        """The number of rows, and the values of each column."""
        inputs = self._features.inputs(batch)
        outputs = flat_outputs(call_model(self._model, self._features.for_model(inputs), training=False))
        ids = self._features.row_ids
        if ids is None:
            return rows_of(inputs), outputs
        refuse_repeat(ids.name, outputs=outputs)
        return rows_of(inputs), {ids.name: ids.of(inputs), **outputs}

    def _trace(self, element: Any) -> Columns:
        traced: list[Columns] = []

        def forward(batch: Any) -> None:
            _, values = self._one_batch(batch)
            rows = tf.nest.flatten(batch)[0].shape[:1].as_list() or [None]
            columns = [column_of(name, value, rows=rows[0]) for name, value in values.items()]
            split = 0 if self._features.row_ids is None else 1
            traced.append(Columns(columns[0] if split else None, tuple(columns[split:])))

        tf.function(forward, autograph=False).get_concrete_function(element)
        return traced[-1]

    def _run(self, iterator: Any, at_most: Any) -> Any:
        gathered = [_Gathered(column.dtype, column.shape) for column in self.columns.all]

        def body(done: Any, rows: Any, _: Any, arrays: Any) -> Any:
            # A caught end of data would lose what was gathered; an optional has an end.
            batch = iterator.get_next_as_optional()

            def with_data() -> Any:
                count, values = self._one_batch(batch.get_value())
                written = [array.write(done, value) for array, value in zip(arrays, values.values(), strict=True)]
                return done + 1, rows + count, tf.constant(False), written

            return tf.cond(batch.has_value(), with_data, lambda: (done, rows, tf.constant(True), arrays))

        done, rows, ended, arrays = tf.while_loop(
            lambda done, _, ended, __: tf.logical_and(done < at_most, tf.logical_not(ended)),
            body,
            [tf.constant(0), tf.constant(0, tf.int64), tf.constant(False), [one.array() for one in gathered]],
        )
        joined = [one.joined(array, batches=done) for one, array in zip(gathered, arrays, strict=True)]
        return done, rows, ended, joined


@dataclass(frozen=True)
class _Gathered:
    """The values of a column, batch after batch."""

    dtype: np.dtype
    shape: tuple[int | None, ...] | None

    def array(self) -> Any:
        shape = None if self.shape is None else [None, *self.shape]
        dtype = tf.string if self.dtype == object else self.dtype
        return tf.TensorArray(dtype, size=0, dynamic_size=True, element_shape=shape, infer_shape=False)

    def joined(self, array: Any, *, batches: Any) -> Any:
        nothing = [0, *(size or 0 for size in self.shape or ())]
        return tf.cond(batches > 0, array.concat, lambda: tf.zeros(nothing, array.dtype))
