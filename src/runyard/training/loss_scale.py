"""Loss scaling for half precision: ours, because Keras's own does not work with several workers."""

from typing import Any

import tensorflow as tf

_START = 2.0**15
_LARGEST = 2.0**30
_GROW_AFTER = 2000


class LossScale:
    """A factor that keeps small gradients from vanishing: doubled after many good steps, halved after a bad one."""

    def __init__(self) -> None:
        self.factor = tf.Variable(tf.constant(_START), trainable=False, name="loss_scale")
        self._good_steps = tf.Variable(tf.constant(0, tf.int64), trainable=False, name="loss_scale_good_steps")
        self._read: tuple[Any, Any] = (None, None)

    @property
    def variables(self) -> list[Any]:
        return [self.factor, self._good_steps]

    def scale(self, loss: Any) -> Any:
        return loss * self._factor_of_step()

    def unscale(self, gradients: list[Any]) -> list[Any]:
        inverse = 1.0 / self._factor_of_step()
        return [None if gradient is None else _times(gradient, inverse) for gradient in gradients]

    def _factor_of_step(self) -> Any:
        """Read once in a graph, so that a step unscales by what it has scaled with: other processes may change it."""
        if tf.executing_eagerly():
            return self.factor.read_value()
        graph = tf.compat.v1.get_default_graph()
        if self._read[0] is not graph:
            self._read = graph, self.factor.read_value()
        return self._read[1]

    def learn(self, finite: Any) -> None:
        """Takes in whether the gradients of a step were finite."""
        good = tf.where(finite, self._good_steps + 1, tf.zeros_like(self._good_steps))
        grow = good >= _GROW_AFTER
        shrunk = tf.maximum(self.factor / 2.0, 1.0)
        grown = tf.minimum(self.factor * 2.0, _LARGEST)
        self.factor.assign(tf.where(finite, tf.where(grow, grown, self.factor), shrunk))
        self._good_steps.assign(tf.where(grow, tf.zeros_like(good), good))


def _times(gradient: Any, factor: Any) -> Any:
    """Rows of an embedding stay rows."""
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(gradient.values * factor, gradient.indices, gradient.dense_shape)
    return gradient * factor


def all_finite(tensors: list[Any]) -> Any:
    """Whether no number is NaN or infinite."""
    checks = [tf.reduce_all(tf.math.is_finite(tensor)) for tensor in map(_dense_part, tensors) if tensor is not None]
    return tf.reduce_all(tf.stack(checks))


def _dense_part(gradient: Any) -> Any:
    return gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
