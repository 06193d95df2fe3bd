"""Metrics that Keras does not have."""

from typing import Any

import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module


def pair_order_accuracy(keras: KerasVersion, *, name: str = "pair_order_accuracy") -> Any:
    """The share of pairs in the right order: mean of y_pred > 0; the labels are not used."""

    def in_order(y_true: Any, y_pred: Any) -> Any:
        return tf.cast(tf.convert_to_tensor(y_pred) > 0, tf.float32)

    return keras_module(keras).metrics.MeanMetricWrapper(in_order, name=name)


def f1(
    keras: KerasVersion,
    *,
    thresholds: Any = None,
    top_k: int | None = None,
    class_id: int | None = None,
    name: str = "f1",
) -> Any:
    """2·TP / (2·TP + FP + FN), 0 where there is nothing to count; one value for each threshold."""
    metrics = keras_module(keras).metrics

    class F1(metrics.Metric):
        def __init__(self) -> None:
            super().__init__(name=name)
            # Precision and recall count what F1 needs, with the thresholds, top_k and class_id that users know.
            self._precision = metrics.Precision(thresholds=thresholds, top_k=top_k, class_id=class_id)
            self._recall = metrics.Recall(thresholds=thresholds, top_k=top_k, class_id=class_id)

        def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
            self._precision.update_state(y_true, y_pred, sample_weight)
            self._recall.update_state(y_true, y_pred, sample_weight)

        def result(self) -> Any:
            true_positives = tf.convert_to_tensor(self._precision.true_positives)
            false_positives = tf.convert_to_tensor(self._precision.false_positives)
            false_negatives = tf.convert_to_tensor(self._recall.false_negatives)
            value = tf.math.divide_no_nan(2 * true_positives, 2 * true_positives + false_positives + false_negatives)
            return value[0] if value.shape == (1,) else value

        def reset_state(self) -> None:
            self._precision.reset_state()
            self._recall.reset_state()

    return F1()


OWN_METRICS = {"F1": f1, "PairOrderAccuracy": pair_order_accuracy}
