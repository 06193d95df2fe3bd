"""Losses and metrics of either Keras outside `fit`."""

from typing import Any

from runyard.bridge.choice import keras_2, keras_3


def is_loss(thing: object) -> bool:
    return isinstance(thing, keras_2().losses.Loss | keras_3().losses.Loss)


def is_metric(thing: object) -> bool:
    return isinstance(thing, keras_2().metrics.Metric | keras_3().metrics.Metric)


def averaging_in_replicas(loss: Any) -> Any:
    """The same loss, allowed to average over the rows of one replica.

    Keras 2 refuses that under a strategy, since a mean of means is wrong for uneven batches. Its own `compile` lifts
    the ban in this way; here, too, the step multiplies by the number of rows before it adds replicas up.
    """
    if isinstance(loss, keras_2().losses.Loss):
        loss._allow_sum_over_batch_size = True
    return loss
