"""Many tensors as one vector, and back."""

from collections.abc import Sequence
from typing import Any

import tensorflow as tf


class FlatLayout:
    """Where in the vector each tensor is."""

    def __init__(self, shapes: Sequence[Any]) -> None:
        self._shapes = [tf.TensorShape(shape) for shape in shapes]
        self._sizes = [shape.num_elements() for shape in self._shapes]
        self.size = sum(self._sizes)

    def join(self, tensors: Sequence[Any]) -> Any:
        return tf.concat([_as_vector(tensor) for tensor in tensors], 0)

    def split(self, vector: Any) -> list[Any]:
        parts = tf.split(vector, self._sizes)
        return [_as_shape(part, shape) for part, shape in zip(parts, self._shapes, strict=True)]


def _as_vector(tensor: Any) -> Any:
    tensor = tf.convert_to_tensor(tensor)
    return tensor if tensor.shape.rank == 1 else tf.reshape(tensor, [-1])


def _as_shape(part: Any, shape: Any) -> Any:
    return part if shape.rank == 1 else tf.reshape(part, shape)
