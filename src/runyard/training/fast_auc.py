"""Keras's AUC, several times faster, with its results.

Keras keeps four running sums over all thresholds and updates them with every batch. The same sums follow from a
histogram of the scores of each class, so a batch only adds to the histogram; the rest is done when the value is read.
"""

from typing import Any

import tensorflow as tf

from runyard.telemetry import note

_BELOW, _LOWEST = 0, 1
"""Buckets for scores below 0, and for the score 0 itself. The last bucket is for scores above 1."""


def can_be_fast(auc: Any, *, label: Any, output: Any) -> bool:
    """Whether an AUC of Keras has evenly spread thresholds, one label, and shapes that match."""
    evenly = getattr(auc, "_thresholds_distributed_evenly", False)
    plain = not auc.multi_label and getattr(auc, "label_weights", None) is None
    ranks = (label.shape.rank, output.shape.rank)
    # A label of shape (B,) is brought to the (B, 1) of its output before metrics see it.
    return evenly and plain and (ranks[0] == ranks[1] or ranks == (1, 2)) and None not in ranks


class FastAUC:
    """Stands in for a Keras AUC, whose `result` it uses."""

    def __init__(self, auc: Any) -> None:
        self._auc = auc
        self.name = auc.name
        self._thresholds = int(auc.num_thresholds)
        self._buckets = self._thresholds + 2
        self._histogram = tf.Variable(tf.zeros([2 * self._buckets]), trainable=False, name="histogram")
        self._has_warned = False

    @property
    def variables(self) -> list[Any]:
        return [self._histogram]

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        scores = tf.cast(y_pred, tf.float32)
        # As in Keras, any label but 0 is a positive one.
        positive = tf.reshape(tf.cast(tf.cast(y_true, tf.bool), tf.float32), [-1])
        negative = 1.0 - positive
        if sample_weight is not None:
            weight = tf.cast(sample_weight, tf.float32)
            while weight.shape.rank < scores.shape.rank:
                weight = tf.expand_dims(weight, -1)
            weight = tf.reshape(tf.broadcast_to(weight, tf.shape(scores)), [-1])
            positive, negative = positive * weight, negative * weight
        scores = tf.reshape(tf.sigmoid(scores) if self._auc._from_logits else scores, [-1])
        place = tf.math.ceil(scores * (self._thresholds - 1)) + 1.0
        bucket = tf.cast(tf.clip_by_value(place, 0.0, self._buckets - 1.0), tf.int32)
        self._histogram.assign_add(
            tf.math.unsorted_segment_sum(
                tf.concat([positive, negative], 0), tf.concat([bucket, bucket + self._buckets], 0), 2 * self._buckets
            )
        )

    def result(self) -> Any:
        positive, negative = tf.split(self._histogram.read_value(), 2)
        self._warn(positive, negative)
        true_positives, false_positives = self._at_or_above(positive), self._at_or_above(negative)
        sums = {
            "true_positives": true_positives,
            "false_positives": false_positives,
            "true_negatives": tf.reduce_sum(negative) - false_positives,
            "false_negatives": tf.reduce_sum(positive) - true_positives,
        }
        for name, value in sums.items():
            getattr(self._auc, name).assign(value)
        return self._auc.result()

    def reset_state(self) -> None:
        self._histogram.assign(tf.zeros_like(self._histogram))

    def _at_or_above(self, buckets: Any) -> Any:
        """For each threshold, the weight of the scores above it."""
        lowest = tf.reduce_sum(buckets[: _LOWEST + 2], keepdims=True)
        middle = buckets[_LOWEST + 2 : self._buckets - 1]
        per_threshold = tf.concat([lowest, middle, buckets[self._buckets - 1 :]], 0)
        return tf.cumsum(per_threshold, reverse=True)

    def _warn(self, positive: Any, negative: Any) -> None:
        total = positive + negative
        outside = float(total[_BELOW] + total[-1])
        if outside and not self._has_warned:
            self._has_warned = True
            note(f"{self.name}: {outside:.0f} scores are outside 0 to 1; AUC needs probabilities, or from_logits: true")


def fast_if_possible(metric: Any, *, label: Any, output: Any) -> Any:
    """The metric itself, or a faster one with its results."""
    return FastAUC(metric) if can_be_fast(metric, label=label, output=output) else metric
