"""Adagrad with L1 and L2 proximal steps: the `padagrad` of old job files, as an optimizer of either Keras."""

from typing import Any

import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module


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
    """
    base = keras_module(keras).optimizers.Optimizer

    class ProximalAdagrad(base):
        def build(self, var_list: Any) -> None:
            super().build(var_list)
            if getattr(self, "_accumulators", None):
                return
            start = keras_module(keras).initializers.Constant(initial_accumulator_value)
            self._accumulators = [_slot(self, variable, initializer=start, keras=keras) for variable in var_list]
            self._places = {_key(variable): index for index, variable in enumerate(var_list)}

        def update_step(self, gradient: Any, variable: Any, learning_rate: Any = None) -> None:
            rate = tf.cast(self.learning_rate if learning_rate is None else learning_rate, variable.dtype)
            accumulator = self._accumulators[self._places[_key(variable)]]
            dense = tf.convert_to_tensor(gradient)
            accumulator.assign(accumulator + tf.square(dense))
            step = rate * tf.math.rsqrt(tf.convert_to_tensor(accumulator))
            moved = tf.convert_to_tensor(variable) - step * dense
            shrunk = tf.sign(moved) * tf.maximum(tf.abs(moved) - step * l1_regularization_strength, 0.0)
            variable.assign(shrunk / (1.0 + step * l2_regularization_strength))

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


def _slot(optimizer: Any, variable: Any, *, initializer: Any, keras: KerasVersion) -> Any:
    if keras == 2:
        return optimizer.add_variable_from_reference(
            variable, "accumulator", initial_value=initializer(variable.shape, dtype=variable.dtype)
        )
    return optimizer.add_variable_from_reference(variable, name="accumulator", initializer=initializer)


def _key(variable: Any) -> Any:
    return variable._unique_id if hasattr(variable, "_unique_id") else id(variable)
