"""Metrics over whole rows rather than sums: rows are gathered while batches pass, the value is computed at the end."""

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from runyard.errors import DataError


class CollectedMetric:
    """Gathers (group, label, score, weight) of every row; exact, in memory linear in the number of rows."""

    def __init__(self, name: str, *, group_key: int | str, value: Callable[..., float]) -> None:
        self.name = name
        self._group_key = group_key
        self._value = value
        self._rows: list[tuple[Any, ...]] = []

    def update(self, inputs: Any, *, label: Any, output: Any, weight: Any) -> Any:
        """Gathers a batch; works inside a `tf.function`."""
        group = tf.reshape(tf.convert_to_tensor(self._group(inputs)), [-1])
        columns = [group, *(tf.reshape(tf.cast(column, tf.float32), [-1]) for column in (label, output))]
        if weight is not None:
            columns.append(tf.reshape(tf.cast(weight, tf.float32), [-1]))
        return tf.numpy_function(self._keep, columns, [])

    def result(self) -> float:
        columns = [np.concatenate(column) for column in zip(*self._rows, strict=True)]
        return self._value(*columns) if columns else 0.0

    def reset_state(self) -> None:
        self._rows.clear()

    def _keep(self, *columns: Any) -> None:
        self._rows.append(tuple(np.array(column) for column in columns))

    def _group(self, inputs: Any) -> Any:
        try:
            return inputs[self._group_key]
        except (KeyError, IndexError, TypeError) as error:
            there = (
                list(inputs)
                if isinstance(inputs, dict)
                else f"{len(inputs)} inputs"
                if isinstance(inputs, tuple | list)
                else "one tensor"
            )
            raise DataError(f"{self.name}: user_id_index is {self._group_key!r}, but x is {there}") from error
