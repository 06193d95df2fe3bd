"""Ranking metrics against their definitions, tried out on every order that tied rows could have."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from runyard.errors import DataError
from runyard.training.ranking import hit_rate, ndcg, reciprocal_rank

Reference = Callable[[list[float], int], float | None]


def gain_of_order(labels: list[float], k: int) -> float:
    return sum((2**label - 1) / math.log2(2 + place) for place, label in enumerate(labels[:k]))


def ndcg_of_order(labels: list[float], k: int) -> float | None:
    best = gain_of_order(sorted(labels, reverse=True), k)
    return gain_of_order(labels, k) / best if best else None


def reciprocal_rank_of_order(labels: list[float], k: int) -> float | None:
    if not any(labels):
        return None
    return next((1 / (place + 1) for place, label in enumerate(labels[:k]) if label), 0.0)


def hit_of_order(labels: list[float], k: int) -> float | None:
    return float(any(labels[:k])) if any(labels) else None


def by_definition(reference: Reference, groups: Any, labels: Any, scores: Any, weights: Any, *, k: int | None) -> float:
    """The mean over all orders of each group that its scores allow, then over groups."""
    values, counted = [], []
    for user in dict.fromkeys(groups.tolist()):
        mine = groups == user
        orders = [
            order
            for order in itertools.permutations(np.flatnonzero(mine))
            if all(scores[one] >= scores[other] for one, other in itertools.pairwise(order))
        ]
        found = [reference([float(labels[row]) for row in order], k or mine.sum()) for order in orders]
        if found[0] is not None:
            values.append(np.mean([value for value in found if value is not None]))
            counted.append(weights[mine].mean())
    return float(np.average(values, weights=counted)) if counted else 0.0


@pytest.mark.parametrize("k", [None, 1, 2, 4])
@pytest.mark.parametrize(
    ("metric", "reference"),
    [(ndcg, ndcg_of_order), (reciprocal_rank, reciprocal_rank_of_order), (hit_rate, hit_of_order)],
)
def test_ranking_metrics_follow_their_definitions(metric: Any, reference: Reference, k: int | None) -> None:
    if metric is hit_rate and k is None:
        k = 3
    for seed in range(6):
        random = np.random.default_rng(seed)
        groups = np.repeat(np.arange(8), random.integers(1, 7, 8))
        random.shuffle(groups)
        rows = groups.size
        labels = random.integers(0, 4, rows) * random.integers(0, 2, rows)
        scores = random.integers(0, 4, rows) / 4  # many ties
        weights = random.uniform(0.1, 3.0, rows)
        expected = by_definition(reference, groups, labels, scores, np.ones(rows), k=k)
        assert metric(groups, labels, scores, k=k) == pytest.approx(expected)
        weighted = by_definition(reference, groups, labels, scores, weights, k=k)
        assert metric(groups, labels, scores, weights, k=k) == pytest.approx(weighted)
        names = np.array([f"user {group}".encode() for group in groups], object)
        assert metric(names, labels, scores, k=k) == pytest.approx(expected)


def test_the_order_of_the_data_does_not_matter() -> None:
    random = np.random.default_rng(0)
    groups, labels = random.integers(0, 50, 2000), random.integers(0, 2, 2000)
    scores, order = random.integers(0, 5, 2000), random.permutation(2000)
    for metric in (ndcg, reciprocal_rank, hit_rate):
        expected = metric(groups, labels, scores, k=3)
        assert metric(groups[order], labels[order], scores[order], k=3) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("metric", [ndcg, reciprocal_rank, hit_rate])
def test_groups_without_a_positive_row_do_not_count(metric: Any) -> None:
    assert metric(["a", "a", "b"], [0, 1, 0], [0.1, 0.9, 0.5], k=1) == 1.0
    assert metric(["a", "b"], [0, 0], [0.1, 0.9], k=1) == 0.0
    assert metric([], [], [], k=1) == 0.0


def test_weights_of_0_leave_a_group_out() -> None:
    assert reciprocal_rank([1, 1, 2, 2], [1, 0, 0, 1], [2, 1, 2, 1], [0, 0, 1, 1]) == 0.5
    assert reciprocal_rank([1, 1], [1, 0], [2, 1], [0, 0]) == 0.0


def test_constant_scores_give_what_chance_gives() -> None:
    rows = 100_000
    labels = np.zeros(rows)
    labels[:10] = 1
    assert hit_rate(np.zeros(rows), labels, np.ones(rows), k=10_000) == pytest.approx(1 - 0.9**10, rel=1e-3)


def test_what_cannot_be_ranked_is_refused() -> None:
    with pytest.raises(DataError, match="NDCG cannot use scores that are NaN"):
        ndcg([1], [1], [float("nan")])
    with pytest.raises(DataError, match=r"MRR needs one user id, label and score for each row; the sizes are \[1, 2\]"):
        reciprocal_rank([1, 1], [1], [0.5])
    with pytest.raises(DataError, match="hit rate cannot use labels that are NaN"):
        hit_rate([1, 1], [1, float("nan")], [0.5, 0.6], k=1)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("huge", [2000, float("inf")])
def test_grades_whose_gains_are_no_numbers_are_refused(huge: float) -> None:
    with pytest.raises(DataError, match=r"NDCG needs labels up to 1000, .* the largest is (2000|inf)"):
        ndcg([1, 1], [0, huge], [0.5, 0.6])
    assert ndcg([1, 1], [0, 1000], [0.5, 0.6]) == 1.0
