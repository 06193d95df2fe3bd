"""GAUC: the AUC within each user's rows, averaged by the number of rows. Exact, in O(n log n)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from runyard.errors import DataError


def grouped_auc(groups: Any, labels: Any, scores: Any, weights: Any = None) -> float:
    """Σ nᵤ·AUCᵤ / Σ nᵤ over the users that have both classes; 0 if there is none.

    Args:
        groups: one id for each row: numbers or strings.
        labels: 0 or 1.
        scores: larger means more likely 1.
        weights: of the rows, within each user's AUC.
    """
    ids = np.unique(np.ravel(np.asarray(groups)), return_inverse=True)[1].ravel()
    positive = np.ravel(np.asarray(labels)).astype(np.float64)
    score = np.ravel(np.asarray(scores)).astype(np.float64)
    weight = np.ones_like(score) if weights is None else np.ravel(np.asarray(weights)).astype(np.float64)
    _refuse(ids, positive, score, weight)
    order = np.lexsort((score, ids))
    ids, score, positive, weight = ids[order], score[order], positive[order] > 0.5, weight[order]
    number = int(ids[-1]) + 1 if ids.size else 0
    area = _pair_area(ids, score, positive, weight, number=number)
    positives = np.bincount(ids, weights=weight * positive, minlength=number)
    negatives = np.bincount(ids, weights=weight * ~positive, minlength=number)
    rows = np.bincount(ids, minlength=number)
    valid = (positives > 0) & (negatives > 0)
    if not valid.any():
        return 0.0
    auc = area[valid] / (positives[valid] * negatives[valid])
    return float(np.average(auc, weights=rows[valid]))


def _refuse(ids: NDArray[Any], positive: NDArray[Any], score: NDArray[Any], weight: NDArray[Any]) -> None:
    sizes = {ids.size, positive.size, score.size, weight.size}
    if len(sizes) > 1:
        raise DataError(f"GAUC needs one user id, label and score for each row; the sizes are {sorted(sizes)}")
    if (positive < 0).any():
        raise DataError("GAUC needs labels of 0 and 1, there are negative ones")
    if np.isnan(score).any():
        raise DataError("GAUC cannot order scores that are NaN")
    if not (weight >= 0).all():
        raise DataError("GAUC needs weights of 0 or more, there are negative ones or NaN")


def _pair_area(
    ids: NDArray[Any], score: NDArray[Any], positive: NDArray[Any], weight: NDArray[Any], *, number: int
) -> NDArray[Any]:
    """For each user, the weight of pairs in the right order; ties count half. Rows are sorted by user and score."""
    if not ids.size:
        return np.zeros(number)
    starts = np.flatnonzero(np.r_[True, (ids[1:] != ids[:-1]) | (score[1:] != score[:-1])])
    tied_positive = np.add.reduceat(weight * positive, starts)
    tied_negative = np.add.reduceat(weight * ~positive, starts)
    owner = ids[starts]
    below = np.cumsum(tied_negative) - tied_negative
    first_of_owner = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
    below -= np.repeat(below[first_of_owner], np.diff(np.r_[first_of_owner, owner.size]))
    return np.bincount(owner, weights=tied_positive * (below + tied_negative / 2), minlength=number)
