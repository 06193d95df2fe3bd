"""Layer-wise adaptive rate scaling (You, Gitman, Ginsburg 2017)."""

from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.optimizer.wrapper import OptimizerWrapper, Pairs, with_gradients


class LarsOptimizer(OptimizerWrapper):
    """Scales each layer's gradient to the size of its weights, for very large batches.

    `g` becomes `ratio * |w| / (|g| + weight_decay * |w|) * (g + weight_decay * w)`. Biases and the parameters of batch
    normalisation (variables of one dimension or none) are left as they are.

    Args:
        ratio: how far a step goes, compared with the weights.
        weight_decay: L2 regularisation, which then must not be in the loss as well.
    """

    def __init__(self, opt: tf.train.Optimizer, ratio: float = 0.001, weight_decay: float = 0.0) -> None:
        super().__init__(opt, name="Lars")
        self._ratio, self._weight_decay = ratio, weight_decay

    def apply_gradients(self, grads_and_vars: Pairs, global_step: Any = None, name: str | None = None) -> Any:
        scaled = [(self._scaled(gradient, variable), variable) for gradient, variable in with_gradients(grads_and_vars)]
        return super().apply_gradients(scaled, global_step=global_step, name=name)

    def _scaled(self, gradient: Any, variable: Any) -> Any:
        return scaled_to_weights(gradient, variable, ratio=self._ratio, weight_decay=self._weight_decay)


def is_of_a_layer(variable: Any) -> bool:
    """Whether these are a layer's weights, not its bias or a parameter of batch normalisation."""
    return variable.shape.rank is None or variable.shape.rank > 1


def scaled_to_weights(gradient: Any, variable: Any, *, ratio: float | None, weight_decay: float) -> Any:
    """A gradient with weight decay, scaled to the size of the weights.

    Args:
        ratio: how far a step goes, compared with the weights; None does not scale.
    """
    if not is_of_a_layer(variable):
        return gradient
    weights = tf.convert_to_tensor(variable)
    decayed = gradient + weight_decay * weights
    if ratio is None:
        return decayed
    size, slope = tf.norm(weights), tf.norm(gradient)
    usable = tf.logical_and(size > 0, slope > 0)
    below = tf.where(usable, slope + weight_decay * size, tf.ones_like(slope))
    return tf.where(usable, ratio * size / below, tf.ones_like(slope)) * decayed
