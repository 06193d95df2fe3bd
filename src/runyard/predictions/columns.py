"""What a row of predictions holds: perhaps an id, then one column for each output of the model."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from runyard.errors import DataError, ModelError

_HALVES = (tf.float16, tf.bfloat16)


@dataclass(frozen=True)
class Column:
    """Values of one kind.

    Args:
        dtype: as NumPy has it; text is `object`.
        shape: of the values of one row, None where a size differs from batch to batch; None if even the rank does.
    """

    name: str
    dtype: np.dtype
    shape: tuple[int | None, ...] | None

    @property
    def fixed(self) -> bool:
        """Whether the rows of all batches have the same shape."""
        return self.shape is not None and None not in self.shape

    @property
    def single(self) -> bool:
        """Whether a row has one value, and no more in any batch."""
        return self.shape is not None and all(size == 1 for size in self.shape)

    @property
    def row_bytes(self) -> int:
        """About how much memory a row takes."""
        sizes = [size or 1 for size in self.shape or ()]
        return math.prod(sizes) * (64 if self.dtype == object else self.dtype.itemsize)


@dataclass(frozen=True)
class Columns:
    """The columns of a row, in order."""

    row_id: Column | None
    outputs: tuple[Column, ...]

    @property
    def all(self) -> tuple[Column, ...]:
        return self.outputs if self.row_id is None else (self.row_id, *self.outputs)

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.all]

    @property
    def fixed(self) -> bool:
        return all(column.fixed for column in self.all)

    @property
    def row_bytes(self) -> int:
        return sum(column.row_bytes for column in self.all)


def flat_outputs(outputs: Any) -> dict[str, Any]:
    """The outputs of a model by the name of their column; of a dict in the order of its keys.

    Raises:
        ModelError: if there is something in them that is no tensor.
    """
    if isinstance(outputs, Mapping):
        named = {str(key): outputs[key] for key in sorted(outputs)}
    elif isinstance(outputs, tuple | list):
        named = {f"output_{number}": value for number, value in enumerate(outputs)}
    else:
        named = {"output": outputs}
    for name, value in named.items():
        if not tf.is_tensor(value) or not isinstance(value, tf.Tensor):
            raise ModelError(
                f"the output {name!r} is a {type(value).__name__}, which cannot be written in one row per example",
                hint="a model predicts a dense tensor, or a list, tuple or dict of them",
            )
    return {name: tf.cast(value, tf.float32) if value.dtype in _HALVES else value for name, value in named.items()}


def column_of(name: str, tensor: Any, *, rows: int | None) -> Column:
    """The column of a tensor with one row per example.

    Args:
        rows: of the batch, where that is known before it comes.

    Raises:
        ModelError: if its first dimension cannot be that of the batch, or it is of a kind that no file can hold.
    """
    shape = tensor.shape
    if shape.rank == 0 or (rows is not None and shape.rank and shape[0] not in (None, rows)):
        raise ModelError(
            f"the output {name!r} has the shape {tuple(shape)}, which is not one row per example",
            hint="the first dimension of an output is that of the batch",
        )
    dtype = np.dtype(object) if tensor.dtype == tf.string else np.dtype(tensor.dtype.as_numpy_dtype)
    if dtype.kind not in "biufO":
        raise ModelError(f"the output {name!r} is {tensor.dtype.name}, which is no number, truth value or text")
    return Column(name, dtype, None if shape.rank is None else tuple(shape[1:]))


def refuse_repeat(row_id: str, *, outputs: Collection[str]) -> None:
    """Every name stands for one column.

    Raises:
        DataError: if the id is called like an output.
    """
    if row_id in outputs:
        raise DataError(
            f"the row id and an output of the model are both called {row_id!r}",
            hint="give the input another name in awf_create_predict_dataset_fn",
        )


def refuse_uneven(counts: Sequence[int], *, columns: Columns, rows: int) -> None:
    """One row per example.

    Raises:
        ModelError: if an output has more or fewer.
    """
    for column, count in zip(columns.all, counts, strict=True):
        if count != rows:
            raise ModelError(
                f"the output {column.name!r} has {count} rows for {rows} examples",
                hint="the first dimension of an output is that of the batch",
            )
