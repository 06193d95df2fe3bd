from typing import Any

import numpy as np
import pytest

from runyard.errors import DataError
from runyard.training.grouped_auc import grouped_auc

RANDOM = np.random.default_rng(1)


def compared_pair_by_pair(groups: Any, labels: Any, scores: Any, weights: Any) -> float:
    """The definition, in O(n²)."""
    total, rows = 0.0, 0
    for user in set(groups.tolist()):
        mine = groups == user
        good, bad = mine & (labels == 1), mine & (labels == 0)
        if not good.any() or not bad.any():
            continue
        difference = scores[good][:, None] - scores[bad][None, :]
        pair_weight = weights[good][:, None] * weights[bad][None, :]
        won = np.where(difference > 0, 1.0, np.where(difference == 0, 0.5, 0.0))
        total += mine.sum() * (won * pair_weight).sum() / pair_weight.sum()
        rows += mine.sum()
    return total / rows if rows else 0.0


@pytest.mark.parametrize("seed", range(20))
def test_gauc_follows_its_definition(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.integers(1, 300)
    groups = random.integers(0, 40, rows)
    labels = random.integers(0, 2, rows)
    scores = random.integers(0, 6, rows) / 6  # many ties
    weights = random.uniform(0.1, 3.0, rows)
    expected = compared_pair_by_pair(groups, labels, scores, np.ones(rows))
    assert grouped_auc(groups, labels, scores) == pytest.approx(expected)
    weighted = compared_pair_by_pair(groups, labels, scores, weights)
    assert grouped_auc(groups, labels, scores, weights) == pytest.approx(weighted)
    names = np.array([f"user {group}".encode() for group in groups], object)
    assert grouped_auc(names, labels, scores) == pytest.approx(expected)


def test_users_with_one_class_do_not_count() -> None:
    groups = ["a", "a", "b", "b", "b"]
    assert grouped_auc(groups, [0, 1, 1, 1, 1], [0.1, 0.9, 0.5, 0.4, 0.3]) == 1.0
    assert grouped_auc(["a", "b"], [0, 1], [0.1, 0.9]) == 0.0


def test_users_whose_class_weighs_nothing_do_not_count() -> None:
    assert grouped_auc([1, 1, 2, 2], [0, 1, 0, 1], [0.9, 0.1, 0.1, 0.9], [0.0, 1.0, 1.0, 1.0]) == 1.0


def test_no_rows_give_zero() -> None:
    assert grouped_auc([], [], []) == 0.0


def test_columns_are_as_good_as_rows() -> None:
    assert grouped_auc([[1], [1]], [[0.0], [1.0]], [[0.2], [0.3]]) == 1.0


@pytest.mark.parametrize("ids", ["numbers", "strings"])
def test_a_million_rows_are_no_matter(ids: str) -> None:
    rows = 1_000_000
    groups: Any = RANDOM.integers(0, 50_000, rows)
    if ids == "strings":
        groups = np.array([f"user-{group}".encode() for group in groups], object)
    labels, scores = RANDOM.integers(0, 2, rows), RANDOM.uniform(size=rows).astype(np.float32)
    assert grouped_auc(groups, labels, scores) == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 1], [0, -1], [0.1, 0.2]), "labels of 0 and 1, there are negative ones"),
        (([1, 1], [0, 1], [0.1, float("nan")]), "scores that are NaN"),
        (([1, 1], [0, float("nan")], [0.1, 0.2]), "GAUC cannot use labels that are NaN"),
        (([1, 1, 2], [0, 1], [0.1, 0.2]), r"one user id, label and score for each row; the sizes are \[2, 3\]"),
        (([1, 1], [0, 1], [0.1, 0.2], [1.0, -1.0]), "weights"),
    ],
)
def test_what_cannot_be_ordered_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        grouped_auc(*arguments)
