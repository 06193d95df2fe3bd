"""The metrics that need all rows, as a job names them, on models of both Keras."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion
from runyard.data.elements import Element
from runyard.training.collected_metrics import collected_metric
from runyard.training.ranking import ndcg

from .test_metric_board import board_for, updated

USERS = np.array([b"a", b"a", b"b", b"b", b"b", b"c", b"c", b"d"])
LABELS = np.array([0, 1, 1, 0, 0, 1, 1, 0])
SCORES = np.array([[0.1], [0.9], [0.4], [0.6], [0.2], [0.5], [0.4], [0.3]], np.float32)
WEIGHTS = np.array([1, 1, 2, 2, 2, 1, 1, 1], np.float32)


def results(metric: Any, keras: KerasVersion, *, weighted: bool = False) -> dict[str, Any]:
    names = (None, metric) if weighted else (metric, None)
    board = board_for(*names, labels=tf.constant(LABELS), outputs=tf.constant(SCORES), keras=keras)
    element = Element({"uid": tf.constant(USERS)}, tf.constant(LABELS), tf.constant(WEIGHTS))
    return updated(board, element, tf.constant(SCORES))


@pytest.mark.parametrize(
    ("name", "args", "value"),
    [
        ("ndcg@1", {"user_id_index": "uid"}, (1 + 0 + 1) / 3),
        ("mrr", {"user_id_index": "uid"}, (1 + 1 / 2 + 1) / 3),
        ("hit_rate@1", {"user_id_index": "uid"}, 2 / 3),
        ("log_loss", {}, -np.log(np.where(LABELS, SCORES[:, 0], 1 - SCORES[:, 0])).mean()),
        ("calibration", {}, SCORES.sum() / LABELS.sum()),
        ("calibration", {"user_id_index": "uid"}, (1.0 + 1.2 + 0.45) / 3),
        ("ece", {"bins": 1}, abs(SCORES.mean() - LABELS.mean())),
    ],
)
def test_metrics_of_all_rows(keras: KerasVersion, name: str, args: dict[str, Any], value: float) -> None:
    assert results({"type": name, "args": args}, keras) == {name: pytest.approx(value, rel=1e-5)}


def test_weighted_metrics_get_weights(keras: KerasVersion) -> None:
    metric = {"type": "ndcg", "args": {"user_id_index": "uid", "name": "n"}}
    assert results(metric, keras, weighted=True) == {"n": pytest.approx(ndcg(USERS, LABELS, SCORES, WEIGHTS))}


def test_metrics_without_groups_survive_a_checkpoint() -> None:
    saved = collected_metric("LogLoss", name="log_loss", args={})
    resumed = collected_metric("LogLoss", name="log_loss", args={})
    assert saved is not None and resumed is not None
    saved.update(None, label=tf.constant(LABELS), output=tf.constant(SCORES), weight=None)
    resumed.load_columns(saved.columns())
    assert resumed.result() == saved.result() > 0


def test_other_metrics_are_not_collected() -> None:
    assert collected_metric("AUC", name="auc", args={}) is None
