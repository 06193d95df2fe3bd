"""GAUC: the AUC within each user's rows, averaged by the number of rows. Exact, in O(n log n)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from runyard.training.grouped_rows import GroupedRows, grouped_rows, starts_of_runs


def grouped_auc(groups: Any, labels: Any, scores: Any, weights: Any = None) -> float:
    """Σ nᵤ·AUCᵤ / Σ nᵤ over the users that have both classes; 0 if there is none.

    Args:
        groups: one id for each row: numbers or strings.
        labels: 0 or 1.
        scores: larger means more likely 1.
        weights: of the rows, within each user's AUC.
    """
    rows = grouped_rows(groups, labels, scores, weights, metric="GAUC")
    rows = rows.sorted_by(rows.scores)
    positive = rows.labels > 0.5
    area = _pair_area(rows, positive)
    positives, negatives = rows.sums(rows.weights * positive), rows.sums(rows.weights * ~positive)
    valid = (positives > 0) & (negatives > 0)
    if not valid.any():
        return 0.0
    auc = area[valid] / (positives[valid] * negatives[valid])
    return float(np.average(auc, weights=rows.sums()[valid]))


def _pair_area(rows: GroupedRows, positive: NDArray[Any]) -> NDArray[Any]:
    """For each user, the weight of pairs in the right order; ties count half. Rows are sorted by user and score."""
    starts = starts_of_runs(rows.ids, rows.scores)
    if not starts.size:
        return np.zeros(rows.number)
    tied_positive = np.add.reduceat(rows.weights * positive, starts)
    tied_negative = np.add.reduceat(rows.weights * ~positive, starts)
    owner = rows.ids[starts]
    below = np.cumsum(tied_negative) - tied_negative
    first_of_owner = starts_of_runs(owner)
    below -= np.repeat(below[first_of_owner], np.diff(np.r_[first_of_owner, owner.size]))
    return np.bincount(owner, weights=tied_positive * (below + tied_negative / 2), minlength=rows.number)
