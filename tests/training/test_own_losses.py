from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion
from runyard.training.alignment import align
from runyard.training.own_losses import bpr, pair_hinge


@pytest.fixture
def value(keras: KerasVersion) -> Any:
    """A loss called as training calls it."""

    def called(loss: Any, label: Any, output: Any, weight: Any = None) -> float:
        label, weight = align(label, output, weight, keras=keras)
        return float(loss(label, output, sample_weight=weight))

    return called


def test_bpr_follows_its_definition(keras: KerasVersion, value: Any) -> None:
    difference = tf.constant([[2.0], [-1.0], [0.0]])
    weights = tf.constant([1.0, 2.0, 3.0])
    each = np.log1p(np.exp([-2.0, 1.0, 0.0]))
    loss = bpr(keras)
    labels = tf.zeros((3,), tf.int64)
    assert value(loss, labels, difference) == pytest.approx(each.mean(), rel=1e-6)
    assert value(loss, labels, difference[:, 0]) == pytest.approx(each.mean(), rel=1e-6)
    weighted = (each * [1, 2, 3]).mean()
    assert value(loss, labels, difference, weights) == pytest.approx(weighted, rel=1e-6)
    assert value(loss, labels, difference[:, 0], weights) == pytest.approx(weighted, rel=1e-6)


def test_bpr_does_not_overflow(keras: KerasVersion, value: Any) -> None:
    assert value(bpr(keras), tf.ones((1,)), tf.constant([[-1000.0]])) == 1000.0


def test_pair_hinge_follows_its_definition(keras: KerasVersion, value: Any) -> None:
    loss = pair_hinge(keras, margin=1)
    difference = tf.constant([[2.0], [0.5], [-1.0]])
    assert value(loss, tf.ones((3,)), difference) == pytest.approx((0 + 0.5 + 2) / 3)
    assert value(loss, tf.ones((3,)), difference, tf.constant([5.0, 2.0, 0.0])) == pytest.approx(1 / 3)
