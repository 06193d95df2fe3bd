"""Rows of embeddings whose tables are in other processes."""

import contextlib
from collections.abc import Iterator
from typing import Any

from runyard.bridge.choice import keras_3
from runyard.bridge.variables import tensorflow_variable


@contextlib.contextmanager
def looking_up_in_place() -> Iterator[None]:
    """Functions that are traced within the block pick the rows of an embedding where its table is.

    Keras 2 does so anyway. Keras 3 reads the whole table, which would have to travel for every batch.
    """
    import tensorflow as tf  # importing the bridge must not import TensorFlow

    kind: Any = keras_3().layers.Embedding
    call = kind.call

    def call_in_place(self: Any, inputs: Any) -> Any:
        with tf.device(tensorflow_variable(self._embeddings).device):
            return call(self, inputs)

    kind.call = call_in_place
    try:
        yield
    finally:
        kind.call = call
