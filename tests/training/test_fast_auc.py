"""The faster AUC has the results of Keras's own."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module
from runyard.training.fast_auc import FastAUC, fast_if_possible

RANDOM = np.random.default_rng(4)
LABELS = tf.constant(RANDOM.integers(0, 2, (60, 1)), tf.float32)
WEIGHTS = tf.constant(RANDOM.uniform(0.0, 2.0, (60, 1)), tf.float32)
SCORES = {
    "random": RANDOM.uniform(size=(60, 1)),
    "on thresholds": RANDOM.integers(0, 200, (60, 1)) / 199,
    "the ends": RANDOM.integers(0, 2, (60, 1)).astype(float),
    "all the same": np.full((60, 1), 0.5),
}


@pytest.mark.parametrize("scores", SCORES)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(
    "arguments", [{}, {"curve": "PR"}, {"num_thresholds": 7}, {"from_logits": True}, {"summation_method": "majoring"}]
)
def test_it_is_kerass_auc(keras: KerasVersion, scores: str, weighted: bool, arguments: dict[str, Any]) -> None:
    given = tf.constant(SCORES[scores], tf.float32)
    slow, inner = [keras_module(keras).metrics.AUC(**arguments) for _ in range(2)]
    fast = fast_if_possible(inner, label=LABELS, output=given)
    assert isinstance(fast, FastAUC)
    for first in range(0, 60, 25):
        part = slice(first, first + 25)
        weight = WEIGHTS[part] if weighted else None
        slow.update_state(LABELS[part], given[part], sample_weight=weight)
        fast.update_state(LABELS[part], given[part], sample_weight=weight)
    assert float(fast.result()) == pytest.approx(float(slow.result()), abs=1e-6)
    fast.reset_state()
    slow.reset_state()
    assert float(fast.result()) == float(slow.result())


@pytest.mark.parametrize("arguments", [{"thresholds": [0.2, 0.9]}, {"multi_label": True, "num_labels": 1}])
def test_others_stay_kerass_own(keras: KerasVersion, arguments: dict[str, Any]) -> None:
    auc = keras_module(keras).metrics.AUC(**arguments)
    assert fast_if_possible(auc, label=LABELS, output=LABELS) is auc


def test_scores_that_are_no_probabilities_are_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    auc = FastAUC(tf.keras.metrics.AUC(name="auc"))
    auc.update_state(LABELS, LABELS * 3.0 - 1.0)
    auc.result()
    auc.result()
    assert capsys.readouterr().err.count("scores are outside 0 to 1") == 1


@pytest.mark.parametrize("labels", [[0.0, 3.0], [-1.0, 2.0, 0.0, 1.0]])
def test_any_label_but_0_is_a_positive_one(keras: KerasVersion, labels: list[float]) -> None:
    y = tf.constant([[label] for label in labels])
    scores = tf.constant([[0.1 + 0.2 * place] for place in range(len(labels))])
    slow, inner = [keras_module(keras).metrics.AUC() for _ in range(2)]
    fast = FastAUC(inner)
    slow.update_state(y, scores)
    fast.update_state(y, scores)
    assert float(fast.result()) == pytest.approx(float(slow.result()), abs=1e-6)
