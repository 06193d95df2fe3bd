"""Clipping of gradients, done once on what the optimizers will see."""

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from runyard.config.train_args import Gradient


def clip(gradients: Sequence[Any], *, config: Gradient) -> list[Any]:
    """Clipped as the job says; gradients that are None stay None."""
    if config.global_clip_norm is not None:
        clipped, _ = tf.clip_by_global_norm(list(gradients), config.global_clip_norm)
        return list(clipped)
    if config.clip_norm is not None:
        limit = config.clip_norm
        return [None if gradient is None else tf.clip_by_norm(gradient, limit) for gradient in gradients]
    if config.clip_value is not None:
        limit = config.clip_value
        return [None if gradient is None else tf.clip_by_value(gradient, -limit, limit) for gradient in gradients]
    return list(gradients)
