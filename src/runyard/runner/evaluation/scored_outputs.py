"""Labels and scores of every row, gathered while a model is evaluated: the curves of the report are drawn from them."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import tensorflow as tf

from runyard.data.elements import Element
from runyard.reports.evaluation import ScoredOutput
from runyard.training.outputs import OutputLayout


class ScoredOutputs:
    """Gathers outputs that are one number for a row with labels of 0 and 1, or scores of classes.

    Others (regression, sequences, several labels for a row) are passed over. A few bytes for each row.

    Args:
        weighted: also gather the weights of the rows. Without them, curves match metrics that heed no weights.
    """

    def __init__(self, *, weighted: bool) -> None:
        self._weighted = weighted
        self._outputs: dict[str, _Rows] = {}

    def watch(self, layout: OutputLayout, element: Element, outputs: Any) -> None:
        """Is shown a batch; works inside a `tf.function`."""
        labels = layout.spread(element.labels, what="labels")
        weights = layout.spread(element.weights if self._weighted else None, what="weights")
        for name, label, output, weight in zip(layout.names, labels, layout.flatten(outputs), weights, strict=True):
            if label is None or output.shape.rank not in (1, 2):
                continue
            classes = 1 if output.shape.rank == 1 else output.shape[-1]
            if classes is not None:
                rows = self._outputs.setdefault(name, _Rows("binary" if classes == 1 else "classes"))
                columns = _binary(label, output) if classes == 1 else _classes(label, output, number=classes)
                columns += [] if weight is None else [tf.reshape(tf.cast(weight, tf.float32), [-1])]
                tf.numpy_function(rows.keep, columns, [])

    def take(self, *, model: str, dataset: str) -> list[ScoredOutput]:
        """What has been gathered since the last time."""
        found: list[ScoredOutput] = []
        for name, rows in self._outputs.items():
            columns = rows.take()
            if columns is not None:
                labels, scores, *weights = columns
                weight = weights[0] if weights else None
                found.append(ScoredOutput(model, dataset, name, labels, scores, weight, rows.kind))
        return found


def _binary(label: Any, output: Any) -> list[Any]:
    return [tf.reshape(tf.cast(label, tf.float32), [-1]), tf.reshape(tf.cast(output, tf.float32), [-1])]


def _classes(label: Any, output: Any, *, number: int) -> list[Any]:
    """The numbers of the true and the predicted class; -1 for labels that are no single class."""
    predicted = tf.argmax(output, -1, output_type=tf.int32)
    if label.shape.rank == 2 and label.shape[-1] == number:
        values = tf.cast(label, tf.float32)
        one_hot = tf.reduce_all((tf.reduce_sum(values, -1) == 1.0) & (tf.reduce_max(values, -1) == 1.0))
        true = tf.where(one_hot, tf.argmax(values, -1, output_type=tf.int32), -1)
    else:
        true = tf.reshape(label, [-1])
        true = tf.where(tf.cast(true, tf.float32) < number, tf.cast(true, tf.int32), -1)
    return [true, predicted]


class _Rows:
    """The rows of one output, until one of them shows that it is of another kind."""

    def __init__(self, kind: Literal["binary", "classes"]) -> None:
        self.kind: Literal["binary", "classes"] = kind
        self._fits: Callable[..., bool] = _are_binary if kind == "binary" else _are_classes
        self._batches: list[tuple[Any, ...]] = []
        self._refused = False

    def keep(self, labels: Any, scores: Any, *weights: Any) -> None:
        if not self._refused and self._fits(labels, scores):
            compact = labels.astype(np.uint8 if self.kind == "binary" else np.int32)
            self._batches.append((compact, *(np.array(column) for column in (scores, *weights))))
        else:
            self._refused = True
            self._batches.clear()

    def take(self) -> list[Any] | None:
        """All rows so far, and a new start; None if there are none."""
        columns = [np.concatenate(column) for column in zip(*self._batches, strict=True)]
        self._batches, self._refused = [], False
        return columns or None


def _are_binary(labels: Any, scores: Any) -> bool:
    return labels.size == scores.size and bool(np.isin(labels, (0, 1)).all() and np.isfinite(scores).all())


def _are_classes(labels: Any, predicted: Any) -> bool:
    return labels.size == predicted.size and bool((labels >= 0).all())
