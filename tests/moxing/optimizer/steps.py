"""A few steps of an optimizer on given gradients."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf


def weights_after(make: Callable[[], Any], start: Any, gradients: Sequence[Any]) -> list[Any]:
    """The weights after every step, in a graph of their own; the global step must count them all."""
    with tf.Graph().as_default(), tf.Session() as session:
        weights = tf.get_variable("w", initializer=np.asarray(start, np.float32), use_resource=True)
        fed = tf.placeholder(tf.float32, np.shape(start))
        step = tf.train.get_or_create_global_step()
        optimizer = make()
        train = optimizer.apply_gradients([(fed, weights)], global_step=step)
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        seen = []
        for gradient in gradients:
            session.run(train, {fed: np.asarray(gradient, np.float32)})
            seen.append(session.run(weights))
        assert session.run(step) == len(gradients)
        return seen
