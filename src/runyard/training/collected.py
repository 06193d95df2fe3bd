"""Metrics over whole rows rather than sums: rows are gathered while batches pass, the value is computed at the end."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

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

    def update(self, inputs: Any, *, label: Any, output: Any, weight: Any) -> Any:
        """Gathers a batch; works inside a `tf.function`."""
        columns = [tf.reshape(tf.cast(column, tf.float32), [-1]) for column in (label, output)]
        if weight is not None:
            columns.append(tf.reshape(tf.cast(weight, tf.float32), [-1]))
        if self._group_key is not None:
            columns.insert(0, tf.reshape(tf.convert_to_tensor(self._group(inputs)), [-1]))
        return tf.numpy_function(self._keep, columns, [])

    def result(self) -> float:
        columns = [np.concatenate(column) for column in zip(*self._rows, strict=True)]
        if not columns:
            return 0.0
        return self._value(*columns) if self._group_key is not None else self._value(None, *columns)

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

    def _group(self, inputs: Any) -> Any:
        there = _keys(inputs)
        if self._group_key in there:
            return inputs[self._group_key]
        found = f"has {there}" if there else "is one tensor"
        raise DataError(f"{self.name}: user_id_index is {self._group_key!r}, but x {found}")


def _keys(inputs: Any) -> list[int | str]:
    if isinstance(inputs, Mapping):
        return list(inputs)
    return list(range(len(inputs))) if isinstance(inputs, tuple | list) else []
