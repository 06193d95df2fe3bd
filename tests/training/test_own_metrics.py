from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion
from runyard.training.own_metrics import f1, pair_order_accuracy

RANDOM = np.random.default_rng(11)
scores = RANDOM.uniform(size=(40, 1)).astype(np.float32)
labels = RANDOM.integers(0, 2, (40, 1)).astype(np.float32)
weights = RANDOM.uniform(0.5, 2.0, (40, 1)).astype(np.float32)


def defined_f1(truth: Any, chosen: Any, weight: Any = 1.0) -> float:
    truth, chosen = truth > 0.5, chosen.astype(bool)
    hits = np.sum(weight * (truth & chosen))
    wrong = np.sum(weight * (truth != chosen))
    return float(2 * hits / (2 * hits + wrong)) if hits + wrong else 0.0


def test_f1_follows_its_definition(keras: KerasVersion) -> None:
    metric = f1(keras)
    metric.update_state(labels, scores)
    assert float(metric.result()) == pytest.approx(defined_f1(labels, scores > 0.5), rel=1e-6)


def test_f1_weighs_rows(keras: KerasVersion) -> None:
    metric = f1(keras)
    metric.update_state(labels, scores, sample_weight=weights)
    assert float(metric.result()) == pytest.approx(defined_f1(labels, scores > 0.5, weights), rel=1e-6)


@pytest.mark.parametrize("thresholds", [0.25, [0.25], [0.25, 0.5, 0.75]])
def test_f1_has_a_value_for_each_threshold(keras: KerasVersion, thresholds: Any) -> None:
    metric = f1(keras, thresholds=thresholds)
    metric.update_state(labels, scores)
    expected = [defined_f1(labels, scores > threshold) for threshold in np.ravel(thresholds)]
    assert np.asarray(metric.result()) == pytest.approx(np.squeeze(expected), rel=1e-6)


def test_f1_of_the_best_classes(keras: KerasVersion) -> None:
    outputs = tf.constant([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2], [0.2, 0.3, 0.5]])
    truth = np.array([[0, 1, 0], [0, 0, 1], [0, 1, 0]], np.float32)
    metric = f1(keras, top_k=2)
    metric.update_state(truth, outputs)
    chosen = np.array([[0, 1, 1], [1, 1, 0], [0, 1, 1]])
    assert float(metric.result()) == pytest.approx(defined_f1(truth, chosen))


def test_f1_of_one_class(keras: KerasVersion) -> None:
    outputs = tf.constant([[0.1, 0.7, 0.2], [0.1, 0.6, 0.3], [0.2, 0.3, 0.5]])
    truth = np.array([[0, 1, 0], [0, 0, 1], [0, 1, 0]], np.float32)
    metric = f1(keras, class_id=1)
    metric.update_state(truth, outputs)
    assert float(metric.result()) == pytest.approx(defined_f1(truth[:, 1], np.array([1, 1, 0])))


def test_f1_of_nothing_is_zero(keras: KerasVersion) -> None:
    metric = f1(keras)
    assert float(metric.result()) == 0.0
    metric.update_state(np.zeros((3, 1)), np.zeros((3, 1)))
    assert float(metric.result()) == 0.0


def test_f1_can_be_checkpointed(keras: KerasVersion) -> None:
    assert len(f1(keras).variables) == 4


def test_pair_order_accuracy_is_the_share_of_positive_differences(keras: KerasVersion) -> None:
    metric = pair_order_accuracy(keras)
    metric.update_state(tf.ones((4, 1)), tf.constant([[0.5], [-0.5], [0.0], [2.0]]))
    assert float(metric.result()) == 0.5
    metric.update_state(tf.ones((2, 1)), tf.constant([[1.0], [-1.0]]), sample_weight=tf.constant([[3.0], [1.0]]))
    assert float(metric.result()) == pytest.approx(5 / 8)
