"""Labels and weights brought to the rank and type of the output they belong to, as Keras `fit` does."""

from typing import Any

import tensorflow as tf

from runyard.bridge import KerasVersion


def align(label: Any, output: Any, weight: Any, *, keras: KerasVersion) -> tuple[Any, Any]:
    """A label of shape (B,) fits an output of (B, 1); floats get the type of a float output, ints of an int one.

    Weights, and class numbers beside an output (B, K), become (B, 1) for Keras 2 and stay (B,) for Keras 3: each hands
    them to losses and metrics in that way.
    """
    if label is not None:
        if label.shape.rank == 1 and output.shape.rank == 2 and (keras == 2 or output.shape[-1] == 1):
            label = tf.expand_dims(label, -1)
        same_family = (label.dtype.is_floating and output.dtype.is_floating) or (
            label.dtype.is_integer and output.dtype.is_integer
        )
        if same_family:
            label = tf.cast(label, output.dtype)
    if weight is not None:
        if weight.shape.rank == 1 and output.shape.rank == 2 and keras == 2:
            weight = tf.expand_dims(weight, -1)
        weight = tf.cast(weight, output.dtype)
    return label, weight
