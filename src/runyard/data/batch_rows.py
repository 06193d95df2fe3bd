"""Batches taken apart into smaller ones, and put together again."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import tensorflow as tf

from runyard.errors import ModelError


def rows_of(batch: Any) -> Any:
    """How many rows a batch has, as an int64 scalar."""
    first = _first(batch)
    if isinstance(first, tf.RaggedTensor):
        return tf.cast(first.nrows(), tf.int64)
    return first.dense_shape[0] if isinstance(first, tf.SparseTensor) else tf.shape(first, out_type=tf.int64)[0]


def known_rows(batch: Any) -> int | None:
    """How many rows a batch has, if that is known before there is one."""
    return _first(batch).shape[0]


def divided(batch: Any, *, parts: int) -> list[Any]:
    """Parts of a batch that differ by one row at most, in the order of the rows."""
    rows = rows_of(batch)
    ends = [rows * part // parts for part in range(parts + 1)]

    def part_of(start: Any, end: Any) -> Any:
        return tf.nest.map_structure(lambda tensor: None if tensor is None else _between(tensor, start, end), batch)

    return [part_of(start, end) for start, end in pairwise(ends)]


def put_together(parts: Sequence[Any]) -> Any:
    """One batch of several, of the same structure, in their order.

    Raises:
        ModelError: if there is a tensor without rows among them.
    """
    return parts[0] if len(parts) == 1 else tf.nest.map_structure(_one_after_the_other, *parts)


def _first(batch: Any) -> Any:
    return next(tensor for tensor in tf.nest.flatten(batch) if tensor is not None)


def _between(tensor: Any, start: Any, end: Any) -> Any:
    if not isinstance(tensor, tf.SparseTensor):
        return tensor[start:end]
    others = tensor.dense_shape[1:]
    size = tf.concat([[end - start], others], 0)
    return tf.sparse.slice(tensor, tf.concat([[start], tf.zeros_like(others)], 0), size)


def _one_after_the_other(*tensors: Any) -> Any:
    if isinstance(tensors[0], tf.SparseTensor):
        return tf.sparse.concat(0, list(tensors))
    if tensors[0].shape.rank == 0:
        raise ModelError(
            "an output of the model is one number for a whole batch, which cannot be put together from several devices",
            hint="set train_args.devices to 1, or give the output a number for each row",
        )
    return tf.concat(tensors, 0)
