"""Losses that Keras does not have: for pairs, where the output is the score of the better minus that of the worse."""

from typing import Any

import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module


def bpr(keras: KerasVersion, **arguments: Any) -> Any:
    """Bayesian personalised ranking: log(1 + exp(−y_pred)); the labels are not used."""

    class BPR(keras_module(keras).losses.Loss):
        def call(self, y_true: Any, y_pred: Any) -> Any:
            return tf.math.softplus(-tf.convert_to_tensor(y_pred))

    return BPR(**{"name": "bpr", **arguments})


def pair_hinge(keras: KerasVersion, *, margin: float, **arguments: Any) -> Any:
    """max(0, margin − y_pred); the labels are not used."""

    class PairHinge(keras_module(keras).losses.Loss):
        def call(self, y_true: Any, y_pred: Any) -> Any:
            return tf.maximum(margin - tf.convert_to_tensor(y_pred), 0.0)

    return PairHinge(**{"name": "pair_hinge", **arguments})


OWN_LOSSES = {"BPR": bpr, "PairHinge": pair_hinge}
