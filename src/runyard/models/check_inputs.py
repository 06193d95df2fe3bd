"""Rows to try an exported model on: from a dataset of the job where they fit, else drawn."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from runyard.errors import ModelError
from runyard.models.exported import fitted_tensor
from runyard.models.served import ServedModel
from runyard.models.signature import named_leaves

Arrays = dict[str, Any]

_ROWS = 32
_WORDS = np.array([b"red", b"green", b"blue"])


def fitted_rows(inputs: Any, *, served: ServedModel, order: Sequence[str]) -> Arrays | None:
    """Rows of a dataset, by the names that a server knows; None if they are not what the model takes.

    Args:
        inputs: what the job would pass to the model.
        order: the names of the model's inputs in its own order, for inputs that have no names themselves.
    """
    found = dict(_named(inputs, served=served, order=order))
    if not set(served.inputs) <= set(found):
        return None
    arrays = {name: _fitted(found[name], spec) for name, spec in served.inputs.items()}
    return None if any(array is None for array in arrays.values()) else arrays


def _named(inputs: Any, *, served: ServedModel, order: Sequence[str]) -> list[tuple[str, Any]]:
    leaves = tf.nest.flatten(inputs)
    if isinstance(inputs, Mapping):
        return list(zip(named_leaves(inputs), leaves, strict=True))
    names = list(served.inputs) if len(served.inputs) == 1 else list(order)
    return list(zip(names, leaves, strict=True)) if len(names) == len(leaves) else []


def _fitted(tensor: Any, spec: Any) -> Any:
    """As a model would take it, and not too many rows; None if it would not."""
    if not isinstance(spec, tf.TensorSpec) or not tf.is_tensor(tensor) or isinstance(tensor, tf.RaggedTensor):
        return None
    if (tensor.dtype == tf.string) != (spec.dtype == tf.string):
        return None
    tensor = fitted_tensor(tensor, spec)
    if spec.shape.rank and spec.shape[0] is None:
        tensor = tensor[:_ROWS]
    return tensor.numpy() if spec.shape.is_compatible_with(tensor.shape) else None


def drawn_rows(served: ServedModel) -> Arrays:
    """Numbers around 0, the whole numbers 0 and 1, and a few words: what hardly any model chokes on.

    Raises:
        ModelError: if the model takes ragged or sparse rows.
    """
    rng = np.random.default_rng(0)
    return {name: _drawn(spec, rng=rng, name=name) for name, spec in sorted(served.inputs.items())}


def _drawn(spec: Any, *, rng: np.random.Generator, name: str) -> Any:
    if not isinstance(spec, tf.TensorSpec) or spec.shape.rank is None:
        raise ModelError(f"rows for the input {name!r} cannot be drawn: {spec}")
    shape = [_ROWS if size is None else size for size in spec.shape[:1]]
    shape += [3 if size is None else size for size in spec.shape[1:]]
    if spec.dtype == tf.string:
        return rng.choice(_WORDS, size=shape)
    if spec.dtype.is_floating:
        return rng.standard_normal(shape).astype(spec.dtype.as_numpy_dtype)
    return rng.integers(0, 2, size=shape).astype(spec.dtype.as_numpy_dtype)
