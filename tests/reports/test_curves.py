import numpy as np
import pytest

from runyard.reports.curves import Curve, precision_recall, rank, roc
from runyard.reports.rows import BinaryRows
from tests.reports.outputs import auc_by_pairs, average_precision_by_threshold, random_rows


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("decimals", [1, 2, 9])
def test_areas_are_exact(*, weighted: bool, decimals: int) -> None:
    rows = random_rows(700, weighted=weighted, decimals=decimals)
    ranking = rank(rows)
    assert roc(ranking).area == pytest.approx(auc_by_pairs(rows), abs=1e-12)
    assert precision_recall(ranking).area == pytest.approx(average_precision_by_threshold(rows), abs=1e-12)


def test_equal_scores_are_one_point() -> None:
    rows = BinaryRows(
        positive=np.array([True, False, True, False]), scores=np.array([0.5, 0.5, 0.9, 0.1]), weights=None, remarks=()
    )
    curve = roc(rank(rows))
    assert list(curve.x) == [0, 0, 0.5, 1]
    assert list(curve.y) == [0, 0.5, 1, 1]
    assert list(curve.thresholds) == [np.inf, 0.9, 0.5, 0.1]


def test_constant_scores_are_a_diagonal() -> None:
    rows = BinaryRows(positive=np.arange(10) < 3, scores=np.full(10, 0.25), weights=None, remarks=())
    curve = roc(rank(rows))
    assert (list(curve.x), list(curve.y), curve.area) == ([0, 1], [0, 1], 0.5)
    flat = precision_recall(rank(rows))
    assert (list(flat.x), list(flat.y), flat.area) == ([0, 1], [0.3, 0.3], pytest.approx(0.3))


def test_thousands_of_points_become_hundreds_that_look_the_same() -> None:
    rows = random_rows(60_000, decimals=9)
    ranking = rank(rows)
    x = np.concatenate([[0], ranking.false_positives / ranking.negatives])
    y = np.concatenate([[0], ranking.true_positives / ranking.positives])
    curve = roc(ranking)
    assert len(ranking.thresholds) > 50_000
    assert len(curve.x) <= 400
    assert (curve.x[0], curve.y[0], curve.x[-1], curve.y[-1]) == (0, 0, 1, 1)
    assert _farthest(x, y, curve=curve) < 0.004


def test_the_jumps_of_precision_at_the_start_stay() -> None:
    """The best row is negative, the next thousand positive: precision falls to 0 and comes back within a pixel."""
    positive = np.ones(20_000, bool)
    positive[0] = False
    positive[10_000:] = np.arange(10_000) % 2 == 0
    rows = BinaryRows(positive=positive, scores=np.arange(20_000, 0, -1.0), weights=None, remarks=())
    curve = precision_recall(rank(rows))
    assert curve.y[0] == 0
    assert curve.y.max() > 0.999
    assert len(curve.x) <= 400


def test_one_row_of_each_class_is_enough() -> None:
    rows = BinaryRows(positive=np.array([True, False]), scores=np.array([0.1, 0.9]), weights=None, remarks=())
    assert roc(rank(rows)).area == 0
    assert precision_recall(rank(rows)).area == 0.5


@pytest.mark.parametrize("positive", [True, False])
def test_a_missing_class_is_known(*, positive: bool) -> None:
    rows = BinaryRows(positive=np.full(3, positive), scores=np.arange(3.0), weights=None, remarks=())
    assert not rank(rows).has_both_classes


def test_a_class_without_weight_is_missing() -> None:
    rows = BinaryRows(
        positive=np.array([True, False]), scores=np.array([0.1, 0.2]), weights=np.array([0.0, 1.0]), remarks=()
    )
    assert not rank(rows).has_both_classes


def _farthest(x: np.ndarray, y: np.ndarray, *, curve: Curve) -> float:
    """The greatest distance of a point to the drawn line, measured up or sideways, whichever is less."""
    up = np.abs(np.interp(x, curve.x, curve.y) - y)
    sideways = np.abs(np.interp(y, curve.y, curve.x) - x)
    return float(np.minimum(up, sideways).max())
