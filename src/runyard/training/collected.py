"""Metrics over whole rows rather than sums: rows are gathered while batches pass, the value is computed at the end."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from runyard.data.shapes import summary
from runyard.errors import DataError


class CollectedMetric:
    """Gathers (group, label, score, weight) of every row; exact, in memory linear in the number of rows.

    Args:
        group_key: which input holds the groups of the rows; None if all rows are one group.
        value: of groups (or None), labels, scores and, if there are any, weights.
    """

    def __init__(self, name: str, *, group_key: int | str | None, value: Callable[..., float]) -> None:
        self.name = name
        self._group_key = group_key
        self._value = value
        self._rows: list[tuple[Any, ...]] = []
        self.gather_at: str | None = None
        """The device of this process; None if no other calls `update`."""

    def update(self, inputs: Any, *, label: Any, output: Any, weight: Any) -> Any:
        """Gathers a batch; works inside a `tf.function`.

        Raises:
            DataError: if the columns do not have one number each for every row.
        """
        columns = {"label": label, "score": output}
        if weight is not None:
            columns["weight"] = weight
        self._refuse_not_dense(columns)
        columns = {what: tf.cast(column, tf.float32) for what, column in columns.items()}
        if self._group_key is not None:
            group = self._group(inputs)
            self._refuse_not_dense({"user id": group})
            columns = {"user id": tf.convert_to_tensor(group), **columns}
        self._refuse_different_sizes(columns)
        flat = [tf.reshape(column, [-1]) for column in columns.values()]
        with tf.device(self.gather_at) if self.gather_at else contextlib.nullcontext():
            return tf.numpy_function(self._keep, flat, [])

    def result(self) -> float:
        """The value over all rows so far; 0 if there are none.

        Raises:
            DataError: if the rows cannot be used.
        """
        columns = [np.concatenate(column) for column in zip(*self._rows, strict=True)]
        if not columns:
            return 0.0
        try:
            return self._value(*columns) if self._group_key is not None else self._value(None, *columns)
        except DataError as error:
            raise DataError(f"metric {self.name!r}: {error.message}", hint=error.hint) from error

    def reset_state(self) -> None:
        self._rows.clear()

    def columns(self) -> list[Any]:
        """All rows so far, for a checkpoint."""
        return [tf.constant(np.concatenate(column)) for column in zip(*self._rows, strict=True)]

    def load_columns(self, columns: Sequence[Any]) -> None:
        """Goes back to the rows of a checkpoint."""
        self._rows = [tuple(column.numpy() for column in columns)] if columns else []

    def _keep(self, *columns: Any) -> None:
        self._rows.append(tuple(np.array(column) for column in columns))

    def _refuse_not_dense(self, columns: Mapping[str, Any]) -> None:
        for what, column in columns.items():
            if isinstance(column, tf.RaggedTensor | tf.SparseTensor):
                kind = "ragged" if isinstance(column, tf.RaggedTensor) else "sparse"
                raise DataError(
                    f"metric {self.name!r} needs one {what} for each row, but this is a {kind} tensor",
                    hint="make it dense in the dataset: to_tensor(), tf.sparse.to_dense()",
                )

    def _refuse_different_sizes(self, columns: Mapping[str, Any]) -> None:
        """As far as shapes are known before there are rows; the others are compared when the value is computed."""
        known = {what: column.shape for what, column in columns.items() if column.shape[1:].is_fully_defined()}
        if len({shape[1:].num_elements() for shape in known.values()}) > 1:
            raise DataError(
                f"metric {self.name!r} needs one {', '.join(columns)} for each row; came: {summary(columns)}",
                hint="choose another metric for this output, or give labels of its shape",
            )

    def _group(self, inputs: Any) -> Any:
        there = _keys(inputs)
        if self._group_key in there:
            return inputs[self._group_key]
        found = f"has {there}" if there else "is one tensor"
        raise DataError(f"metric {self.name!r}: user_id_index is {self._group_key!r}, but x {found}")


def _keys(inputs: Any) -> list[int | str]:
    if isinstance(inputs, Mapping):
        return list(inputs)
    return list(range(len(inputs))) if isinstance(inputs, tuple | list) else []
