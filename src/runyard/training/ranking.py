"""How well the rows of each group are ordered: NDCG, reciprocal rank, hit rate. Exact, in O(n log n).

Rows with equal scores have no order. Each value is the mean over all orders that they could have, so it does not depend
on the order of the data.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runyard.errors import DataError
from runyard.training.grouped_rows import GroupedRows, grouped_rows, starts_of_runs

_POSITIVE = 0.5
"""Labels above it count as hits, as in GAUC."""

_LARGEST_GRADE = 1000
"""Beyond it, sums of gains leave the range of floating point numbers."""


def ndcg(groups: Any, labels: Any, scores: Any, weights: Any = None, *, k: int | None = None) -> float:
    """The discounted gain of the first k rows of a group by score, relative to the best possible order.

    The gain of a row is 2^label - 1, its discount 1 / log2(1 + rank). Groups without a gain do not count.
    """
    rows = grouped_rows(groups, labels, scores, weights, metric="NDCG")
    _refuse_huge_grades(rows.labels)
    by_score = rows.sorted_by(-rows.scores)
    ranks = _ranks(by_score.ids)
    discounts = np.where(ranks <= (k or np.inf), 1.0 / np.log2(1.0 + ranks), 0.0)
    starts = starts_of_runs(by_score.ids, by_score.scores)
    if not starts.size:
        return 0.0
    tied_gain = np.add.reduceat(_gain(by_score.labels), starts) / np.diff(np.r_[starts, ranks.size])
    found = np.bincount(by_score.ids[starts], tied_gain * np.add.reduceat(discounts, starts), minlength=rows.number)
    best = rows.sorted_by(-rows.labels)
    possible = best.sums(_gain(best.labels) * discounts)
    valid = possible > 0
    return _mean(rows, valid=valid, values=found[valid] / possible[valid])


def reciprocal_rank(groups: Any, labels: Any, scores: Any, weights: Any = None, *, k: int | None = None) -> float:
    """1 / the rank of the first positive row of a group by score; 0 if it is not among the first k."""
    rows = grouped_rows(groups, labels, scores, weights, metric="MRR")
    first = _first_hits(rows)
    # Where the first positive row may stand among the rows that are tied with it.
    places = np.minimum(first.tied - first.positive + 1, (k or np.inf) - first.before).clip(0).astype(np.int64)
    owner = np.repeat(np.arange(places.size), places)
    place = np.arange(owner.size) - np.repeat(np.cumsum(places) - places, places) + 1
    tied, positive, before = first.tied[owner], first.positive[owner], first.before[owner]
    log = _log_factorials(rows.ids.size)
    none_earlier = np.exp(log[tied - positive] - log[tied - positive - place + 1] - log[tied] + log[tied - place + 1])
    likely = none_earlier * positive / (tied - place + 1)
    values = np.bincount(owner, likely / (before + place), minlength=places.size)
    return _mean(rows, valid=first.valid, values=values)


def hit_rate(groups: Any, labels: Any, scores: Any, weights: Any = None, *, k: int) -> float:
    """The share of groups with a positive row among the first k by score."""
    rows = grouped_rows(groups, labels, scores, weights, metric="hit rate")
    first = _first_hits(rows)
    drawn = (k - first.before).clip(0, first.tied)
    others = first.tied - first.positive
    log = _log_factorials(rows.ids.size)
    left = (others - drawn).clip(0)
    missed = np.exp(log[others] - log[left] + log[first.tied - drawn] - log[first.tied])
    return _mean(rows, valid=first.valid, values=1.0 - np.where(drawn > others, 0.0, missed))


@dataclass(frozen=True)
class _FirstHits:
    """Of each group with a positive row: the tied rows among which the best positive one is.

    Args:
        valid: which groups have one.
        before: rows with better scores.
        tied: rows with the same score.
        positive: the positive ones of those.
    """

    valid: NDArray[Any]
    before: NDArray[Any]
    tied: NDArray[Any]
    positive: NDArray[Any]


def _first_hits(rows: GroupedRows) -> _FirstHits:
    by_score = rows.sorted_by(-rows.scores)
    starts = starts_of_runs(by_score.ids, by_score.scores)
    if not starts.size:
        nothing = np.zeros(0, np.int64)
        return _FirstHits(np.zeros(rows.number, bool), nothing, nothing, nothing)
    positive = np.add.reduceat((by_score.labels > _POSITIVE).astype(np.int64), starts)
    tied = np.diff(np.r_[starts, by_score.ids.size])
    before = (_ranks(by_score.ids)[starts] - 1).astype(np.int64)
    hits = np.flatnonzero(positive)
    owners, first = np.unique(by_score.ids[starts][hits], return_index=True)
    chosen = hits[first]
    valid = np.zeros(rows.number, bool)
    valid[owners] = True
    return _FirstHits(valid, before[chosen], tied[chosen], positive[chosen])


def _mean(rows: GroupedRows, *, valid: NDArray[Any], values: NDArray[Any]) -> float:
    """Over groups; a group counts as much as its rows weigh on average. 0 if there is none."""
    weight = (rows.sums(rows.weights) / rows.sums())[valid]
    return float(np.average(values, weights=weight)) if weight.sum() > 0 else 0.0


def _refuse_huge_grades(labels: NDArray[Any]) -> None:
    if (labels > _LARGEST_GRADE).any():
        raise DataError(
            f"NDCG needs labels up to {_LARGEST_GRADE}, since a row gains 2^label - 1; the largest is {labels.max():g}",
            hint="make grades of them, such as 0 to 4",
        )


def _gain(labels: NDArray[Any]) -> NDArray[Any]:
    return np.exp2(labels) - 1.0


def _ranks(sorted_ids: NDArray[Any]) -> NDArray[Any]:
    """1, 2, 3, ... within each group."""
    starts = starts_of_runs(sorted_ids)
    sizes = np.diff(np.r_[starts, sorted_ids.size])
    return np.arange(1.0, sorted_ids.size + 1) - np.repeat(starts, sizes)


def _log_factorials(largest: int) -> NDArray[Any]:
    """log n! for n from 0."""
    return np.r_[0.0, np.cumsum(np.log(np.arange(1.0, largest + 1)))]
