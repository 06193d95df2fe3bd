"""Weights of classes, turned into weights of rows as Keras `fit` does."""

from collections.abc import Mapping
from typing import Any

import tensorflow as tf

from runyard.errors import ModelError


class ClassWeight:
    """Looks up the weight of each row's class."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        try:
            by_class = {int(label): weight for label, weight in weights.items()}
        except ValueError as error:
            raise ModelError(f"class_weight needs class numbers as keys, received {list(weights)}") from error
        if sorted(by_class) != list(range(len(by_class))):
            raise ModelError(f"class_weight needs a weight for every class from 0 on, received {sorted(by_class)}")
        self._table = [by_class[index] for index in range(len(by_class))]

    def apply(self, label: Any, weight: Any) -> Any:
        """The row weights with the class weights in them.

        Raises:
            ModelError: if there are several labels, or none.
        """
        if label is None:
            raise ModelError("class_weight needs labels, and the dataset has none")
        labels = tf.nest.flatten(label)
        if len(labels) != 1:
            raise ModelError(f"class_weight needs a model with one output, and there are {len(labels)} labels")
        (label,) = labels
        (weight,) = tf.nest.flatten(weight)
        if label.shape.rank is not None and label.shape.rank > 1 and label.shape[-1] != 1:
            classes = tf.argmax(label, axis=-1)
        else:
            classes = tf.cast(tf.reshape(label, [-1]), tf.int64)
        found = tf.gather(tf.constant(self._table, tf.float32), classes)
        return found if weight is None else tf.cast(tf.reshape(weight, [-1]), tf.float32) * found
