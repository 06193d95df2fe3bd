"""The input that is written in front of each row."""

from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from runyard.errors import DataError

DEFAULT_NAME = "row_id"


@dataclass(frozen=True)
class RowIds:
    """Which input holds the ids, and what their column is called."""

    key: str | int
    name: str

    def of(self, inputs: Any) -> Any:
        """The ids of a batch: one for each row.

        Raises:
            DataError: if there are several for each row.
        """
        ids = inputs[self.key]
        if not isinstance(ids, tf.Tensor):
            raise DataError(f"the input {self.key!r} is a {type(ids).__name__}; row ids are a dense tensor")
        rank = ids.shape.rank
        if rank == 0 or (rank is not None and any(size not in (None, 1) for size in ids.shape[1:])):
            raise DataError(
                f"the input {self.key!r} has the shape {tuple(ids.shape)}; a row id is one value for each row"
            )
        return tf.reshape(ids, [-1])


def find_row_ids(inputs: Any, *, row_id_col: str) -> RowIds | None:
    """The ids that `row_id_col` speaks of: a key of a dict, or a position in a tuple; None if it is empty.

    Args:
        inputs: as the dataset's `element_spec` has them.

    Raises:
        DataError: if there is no such input.
    """
    if not row_id_col:
        return None
    if isinstance(inputs, dict):
        if row_id_col not in inputs:
            raise DataError(f"row_id_col is {row_id_col!r}, but the inputs are {sorted(map(str, inputs))}")
        return RowIds(row_id_col, row_id_col)
    if not isinstance(inputs, tuple | list):
        raise DataError(
            f"row_id_col is {row_id_col!r}, but the dataset has one input only",
            hint="the inputs must be a dict {name: tensor}, or a tuple in a tuple: ((ids, x),)",
        )
    if not row_id_col.isdecimal() or int(row_id_col) >= len(inputs):
        raise DataError(
            f"row_id_col is {row_id_col!r}, but the inputs are a tuple",
            hint=f"give a position from 0 to {len(inputs) - 1}, or make the inputs a dict",
        )
    return RowIds(int(row_id_col), DEFAULT_NAME)
