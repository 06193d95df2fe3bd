import numpy as np
import pytest

from runyard.reports.bins import calibration, histogram
from runyard.reports.rows import BinaryRows
from tests.reports.outputs import random_rows


@pytest.mark.parametrize("weighted", [False, True])
def test_every_row_is_in_one_bar(*, weighted: bool) -> None:
    rows = random_rows(5000, weighted=weighted, decimals=9)
    bins = histogram(rows, bins=10)
    weights = np.ones(5000) if rows.weights is None else rows.weights
    for index in range(10):
        last = index == 9
        inside = (rows.scores >= bins.edges[index]) & (
            (rows.scores <= bins.edges[index + 1]) if last else (rows.scores < bins.edges[index + 1])
        )
        assert bins.positive[index] == pytest.approx(weights[inside & rows.positive].sum())
        assert bins.negative[index] == pytest.approx(weights[inside & ~rows.positive].sum())
    assert bins.outside == 0


def test_an_outlier_does_not_squeeze_the_histogram() -> None:
    scores = np.append(np.linspace(-3, 3, 10_000), 1e9)
    bins = histogram(BinaryRows(positive=scores > 0, scores=scores, weights=None, remarks=()))
    assert bins.edges[-1] < 4
    assert bins.outside > 0
    assert bins.positive.sum() + bins.negative.sum() == 10_001


@pytest.mark.parametrize("value", [0.0, 0.3, 1.0, -7.0, 1e20, np.float32(3e29)])
def test_constant_scores_have_a_bar(value: float) -> None:
    bins = histogram(BinaryRows(positive=np.array([True, False]), scores=np.full(2, value), weights=None, remarks=()))
    assert bins.edges[0] <= value <= bins.edges[-1]
    assert (np.diff(bins.edges) > 0).all()
    assert bins.positive.max() == bins.negative.max() == 1


@pytest.mark.parametrize("weighted", [False, True])
def test_bins_of_calibration_count_their_rows(*, weighted: bool) -> None:
    rows = random_rows(3000, weighted=weighted, decimals=9)
    found = calibration(rows, bins=6)
    weights = np.ones(3000) if rows.weights is None else rows.weights
    order = np.argsort(rows.scores)
    assert found.rows.sum() == 3000
    assert found.rows.max() - found.rows.min() <= 2
    start = 0
    for predicted, observed, count in zip(found.predicted, found.observed, found.rows, strict=True):
        part = order[start : start + count]
        start += count
        assert predicted == pytest.approx(np.average(rows.scores[part], weights=weights[part]))
        assert observed == pytest.approx(np.average(rows.positive[part], weights=weights[part]))


def test_equal_scores_share_a_bin() -> None:
    random = np.random.default_rng(2)
    scores = random.choice([0.125, 0.5, 0.875], p=[0.9, 0.06, 0.04], size=5000).astype(np.float32)
    found = calibration(BinaryRows(positive=random.random(5000) < scores, scores=scores, weights=None, remarks=()))
    assert list(found.predicted) == [0.125, 0.5, 0.875]
    assert list(found.rows) == [(scores == value).sum() for value in found.predicted]


def test_honest_probabilities_have_almost_no_error() -> None:
    random = np.random.default_rng(3)
    scores = random.random(200_000)
    honest = BinaryRows(positive=random.random(200_000) < scores, scores=scores, weights=None, remarks=())
    boasting = BinaryRows(positive=honest.positive, scores=np.sqrt(scores), weights=None, remarks=())
    assert calibration(honest).error < 0.005
    assert calibration(boasting).error == pytest.approx(2 / 3 - 1 / 2, abs=0.005)


def test_logits_go_through_the_sigmoid() -> None:
    logits = np.array([-800.0, -1.0, 0.0, 800.0])
    found = calibration(BinaryRows(positive=np.arange(4) > 1, scores=logits, weights=None, remarks=()))
    assert found.from_logits
    assert found.predicted == pytest.approx([0, 1 / (1 + np.e), 0.5, 1])


def test_rows_without_weight_have_no_bin() -> None:
    rows = BinaryRows(
        positive=np.array([True, False]), scores=np.array([0.2, 0.7]), weights=np.array([0.0, 2.0]), remarks=()
    )
    assert list(calibration(rows).predicted) == [0.7]
