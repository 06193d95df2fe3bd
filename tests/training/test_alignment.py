from typing import Any

import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion
from runyard.training.alignment import align


def test_labels_get_the_column_of_the_output(keras: KerasVersion) -> None:
    label, _ = align(tf.zeros((4,)), tf.zeros((4, 1)), None, keras=keras)
    assert label.shape == (4, 1)


@pytest.mark.parametrize(("keras", "shape"), [(2, (4, 1)), (3, (4,))])
def test_class_numbers_and_weights_have_the_rank_that_each_keras_gives_them(
    keras: KerasVersion, shape: tuple[int, ...]
) -> None:
    label, weight = align(tf.zeros((4,), tf.int32), tf.zeros((4, 3)), tf.ones((4,)), keras=keras)
    assert label.shape == shape and weight.shape == shape


@pytest.mark.parametrize(
    ("label_type", "output_type", "expected"),
    [
        (tf.float64, tf.float32, tf.float32),
        (tf.float32, tf.float16, tf.float16),
        (tf.int32, tf.int64, tf.int64),
        (tf.int64, tf.float32, tf.int64),
        (tf.bool, tf.float32, tf.bool),
    ],
)
def test_types_change_within_their_family(
    keras: KerasVersion, label_type: Any, output_type: Any, expected: Any
) -> None:
    output = tf.zeros((2, 1), output_type)
    label, weight = align(tf.zeros((2, 1), label_type), output, tf.ones((2, 1), tf.float64), keras=keras)
    assert label.dtype == expected and weight.dtype == output_type


def test_nothing_stays_nothing(keras: KerasVersion) -> None:
    assert align(None, tf.zeros((2, 1)), None, keras=keras) == (None, None)
