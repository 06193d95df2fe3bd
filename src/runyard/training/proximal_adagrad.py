"""Adagrad with L1 and L2 proximal steps: the `padagrad` of old job files, as an optimizer of either Keras."""

from typing import Any

import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module, new_slot, slot_index, tensorflow_variable


def proximal_adagrad(
    keras: KerasVersion,
    *,
    learning_rate: Any = 0.001,
    initial_accumulator_value: float = 0.1,
    l1_regularization_strength: float = 0.0,
    l2_regularization_strength: float = 0.0,
    name: str | None = None,
) -> Any:
    """The update of TensorFlow 1's ProximalAdagradOptimizer.

    accumulator += g²;  step = rate / √accumulator;  v = w − step·g;
    w = sign(v) · max(|v| − step·l1, 0) / (1 + step·l2)

    Of a gradient for some rows only (an embedding's), these rows alone change, shrinking included.

    Raises:
        ValueError: if the accumulator does not start above 0.
    """
    if initial_accumulator_value <= 0:
        raise ValueError(f"initial_accumulator_value must be above 0, it is {initial_accumulator_value}")
    base = keras_module(keras).optimizers.Optimizer

    class ProximalAdagrad(base):
        def build(self, var_list: Any) -> None:
            super().build(var_list)
            if getattr(self, "_accumulators", None):
                return
            self._accumulators = [
                new_slot(self, variable, name="accumulator", value=initial_accumulator_value, keras=keras)
                for variable in var_list
            ]

        def update_step(self, gradient: Any, variable: Any, learning_rate: Any = None) -> None:
            rate = tf.cast(self.learning_rate if learning_rate is None else learning_rate, variable.dtype)
            accumulator = tensorflow_variable(self._accumulators[slot_index(self, variable, keras=keras)])
            variable = tensorflow_variable(variable)
            if isinstance(gradient, tf.IndexedSlices):
                slices = _without_repetition(gradient)
                rows, values = slices.indices, slices.values
                accumulator.scatter_add(tf.IndexedSlices(tf.square(values), rows))
                before = tf.gather(variable, rows)
                after = self._moved(before, values, rate * tf.math.rsqrt(tf.gather(accumulator, rows)))
                variable.scatter_add(tf.IndexedSlices(after - before, rows))
            else:
                accumulator.assign_add(tf.square(gradient))
                variable.assign(self._moved(variable, gradient, rate * tf.math.rsqrt(accumulator)))

        def _moved(self, value: Any, gradient: Any, step: Any) -> Any:
            moved = value - step * gradient
            shrunk = tf.sign(moved) * tf.maximum(tf.abs(moved) - step * l1_regularization_strength, 0.0)
            return shrunk / (1.0 + step * l2_regularization_strength)

        def get_config(self) -> dict[str, Any]:
            return {
                **super().get_config(),
                "initial_accumulator_value": initial_accumulator_value,
                "l1_regularization_strength": l1_regularization_strength,
                "l2_regularization_strength": l2_regularization_strength,
            }

    if keras == 2:
        made = ProximalAdagrad(name=name or "ProximalAdagrad")
        made._learning_rate = made._build_learning_rate(learning_rate)
        return made
    return ProximalAdagrad(learning_rate=learning_rate, name=name or "proximal_adagrad")


def _without_repetition(slices: Any) -> Any:
    """Each row once, with the sum of its gradients."""
    rows, places = tf.unique(slices.indices)
    return tf.IndexedSlices(tf.math.unsorted_segment_sum(slices.values, places, tf.size(rows)), rows)
