"""Dynamic momentum with a weight decay that is no part of the gradient."""

from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.optimizer.dynamic_momentum import DyMomentumOptimizer
from moxing.tensorflow.optimizer.lars import is_of_a_layer, scaled_to_weights
from moxing.tensorflow.optimizer.wrapper import Pairs


class DyMomentumWOptimizer(DyMomentumOptimizer):
    """`DyMomentumOptimizer` whose weight decay takes `lr * weight_decay` of each weight off, beside the momentum.

    The loss must not hold the regularisation as well.
    """

    def apply_gradients(self, grads_and_vars: Pairs, global_step: Any = None, name: str | None = None) -> Any:
        pairs = [(gradient, variable) for gradient, variable in grads_and_vars if gradient is not None]
        with tf.control_dependencies([tf.convert_to_tensor(gradient) for gradient, _ in pairs]):
            rate = tf.convert_to_tensor(self._learning_rate)
            decayed = [
                variable.assign_sub(
                    tf.cast(rate * self._weight_decay, variable.dtype.base_dtype) * variable.read_value()
                )
                for _, variable in pairs
                if is_of_a_layer(variable) and self._weight_decay
            ]
        with tf.control_dependencies(decayed):
            return super().apply_gradients(pairs, global_step=global_step, name=name)

    def _regularised(self, gradient: Any, variable: Any) -> Any:
        return scaled_to_weights(gradient, variable, ratio=self._ratio, weight_decay=0.0)
