"""Labels and weights brought to the rank and type of the output they belong to, as Keras `fit` does."""

from typing import Any

import tensorflow as tf


def align(label: Any, output: Any, weight: Any) -> tuple[Any, Any]:
    """A label of shape (B,) fits an output of (B, 1); floats get the type of a float output, ints of an int one."""
    if label is not None:
        if label.shape.rank == 1 and output.shape.rank == 2:
            label = tf.expand_dims(label, -1)
        same_family = (label.dtype.is_floating and output.dtype.is_floating) or (
            label.dtype.is_integer and output.dtype.is_integer
        )
        if same_family:
            label = tf.cast(label, output.dtype)
    if weight is not None:
        if weight.shape.rank == 1 and output.shape.rank == 2:
            weight = tf.expand_dims(weight, -1)
        weight = tf.cast(weight, output.dtype)
    return label, weight
