"""Sums in variables that several processes add to at the same time."""

import contextlib
from collections.abc import Iterator
from typing import Any

from runyard.bridge.choice import keras_3


@contextlib.contextmanager
def adding_in_place() -> Iterator[None]:
    """Functions that are traced within the block add to a variable where it is, in one operation.

    Keras 3 reads a variable, adds, and writes the sum back: what another process adds in between would be lost.
    """
    import tensorflow as tf  # importing the bridge must not import TensorFlow

    kind: Any = keras_3().Variable

    def amount(variable: Any, value: Any) -> Any:
        return tf.broadcast_to(tf.cast(value, variable._value.dtype), variable._value.shape)

    def assign_add(self: Any, value: Any) -> Any:
        return self._value.assign_add(amount(self, value))

    def assign_sub(self: Any, value: Any) -> Any:
        return self._value.assign_sub(amount(self, value))

    own = {name: kind.__dict__.get(name) for name in ("assign_add", "assign_sub")}
    kind.assign_add, kind.assign_sub = assign_add, assign_sub
    try:
        yield
    finally:
        for name, function in own.items():
            if function is None:
                delattr(kind, name)
            else:
                setattr(kind, name, function)
