"""Nadam of Keras 2, which counts its steps in Python: right step by step, wrong in a graph."""

from typing import Any

from runyard.bridge.choice import keras_2


def graph_nadam(**arguments: Any) -> Any:
    """Keras 2's Nadam with its counter in a variable, so that it does in a graph what it does in eager mode."""
    import tensorflow as tf  # importing the bridge must not import TensorFlow

    class Nadam(keras_2().optimizers.Nadam):
        def build(self, var_list: Any) -> None:
            is_new = not getattr(self, "_built", False)
            super().build(var_list)
            if is_new:
                # Keras forgets to list them, so its checkpoints lose them.
                self._variables += [self._u_product, self._counter]

        @property
        def _u_product_counter(self) -> Any:
            return self._counter.read_value()

        @_u_product_counter.setter
        def _u_product_counter(self, value: Any) -> None:
            if hasattr(self, "_counter"):
                self._counter.assign(tf.cast(value, tf.int64))
            else:
                self._counter = tf.Variable(value, dtype=tf.int64, trainable=False, name="counter")

    return Nadam(**arguments)


def is_graph_nadam(optimizer: Any) -> bool:
    return type(optimizer).__module__ == __name__
