"""Which layers what kind of network has: their activation, normalisation, first values and weight decay."""

from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]
import tf_slim as slim


def normalized_layers(
    weight_decay: float,
    *,
    decay: float,
    epsilon: float,
    scale: bool = True,
    activation: Any = tf.nn.relu,
    initializer: Any = None,
) -> Any:
    """Convolutions that are followed by batch normalisation and an activation.

    Args:
        decay: of the means and variances that are kept for the time after training.
        epsilon: what is added to a variance.
        scale: whether outputs are multiplied by a factor that is learned.
        activation: of every convolution.
        initializer: of the weights.
    """
    with (
        slim.arg_scope(
            [slim.conv2d, slim.fully_connected],
            weights_initializer=initializer or slim.variance_scaling_initializer(),
            weights_regularizer=slim.l2_regularizer(weight_decay),
        ),
        slim.arg_scope([slim.conv2d, slim.separable_conv2d], activation_fn=activation, normalizer_fn=slim.batch_norm),
        slim.arg_scope([slim.batch_norm], decay=decay, epsilon=epsilon, scale=scale) as layers,
    ):
        return layers
