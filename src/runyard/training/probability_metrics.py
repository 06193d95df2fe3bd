"""How true predicted probabilities are: log loss, calibration, expected calibration error; of all rows, or by group.

With groups, each is computed within a group, and every group counts the same.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from runyard.errors import DataError
from runyard.training.grouped_rows import GroupedRows, grouped_rows

_SMALLEST = 1e-7
"""Probabilities are kept this far from 0 and 1, as Keras does."""


def log_loss(groups: Any, labels: Any, scores: Any, weights: Any = None, *, from_logits: bool = False) -> float:
    """-log of the probability that was given to what happened, on average."""
    rows = _checked(groups, labels, scores, weights, metric="log loss", from_logits=from_logits)
    if from_logits:
        losses = np.logaddexp(0.0, rows.scores) - rows.labels * rows.scores
    else:
        chance = np.clip(rows.scores, _SMALLEST, 1.0 - _SMALLEST)
        losses = -(rows.labels * np.log(chance) + (1.0 - rows.labels) * np.log1p(-chance))
    return _mean_ratio(rows.sums(rows.weights * losses), rows.sums(rows.weights), otherwise=0.0)


def calibration(groups: Any, labels: Any, scores: Any, weights: Any = None, *, from_logits: bool = False) -> float:
    """Mean prediction / mean label: 1 is right, 1.1 predicts 10 % too much. NaN where no label is positive."""
    rows = _checked(groups, labels, scores, weights, metric="calibration", from_logits=from_logits)
    predicted = rows.sums(rows.weights * _probabilities(rows, from_logits=from_logits))
    return _mean_ratio(predicted, rows.sums(rows.weights * rows.labels), otherwise=float("nan"))


def expected_calibration_error(
    groups: Any, labels: Any, scores: Any, weights: Any = None, *, bins: int = 10, from_logits: bool = False
) -> float:
    """The distance between mean prediction and mean label in bins of equal width, averaged by the rows in them."""
    rows = _checked(groups, labels, scores, weights, metric="ECE", from_logits=from_logits)
    chance = _probabilities(rows, from_logits=from_logits)
    bin_of_row = np.clip(np.ceil(chance * bins) - 1, 0, bins - 1).astype(np.int64)
    cells, cell = np.unique(rows.ids * bins + bin_of_row, return_inverse=True)
    distance = np.abs(np.bincount(cell.ravel(), rows.weights * (chance - rows.labels), minlength=cells.size))
    return _mean_ratio(
        np.bincount(cells // bins, distance, minlength=rows.number), rows.sums(rows.weights), otherwise=0.0
    )


def _checked(groups: Any, labels: Any, scores: Any, weights: Any, *, metric: str, from_logits: bool) -> GroupedRows:
    rows = grouped_rows(groups, labels, scores, weights, metric=metric)
    if (rows.labels > 1).any():
        raise DataError(f"{metric} needs labels from 0 to 1, there are larger ones")
    outside = (rows.scores < 0) | (rows.scores > 1)
    if outside.any() and not from_logits:
        raise DataError(
            f"{metric} needs probabilities, but {outside.sum()} scores are outside 0 to 1",
            hint='if the model gives logits, say "args": {"from_logits": true}',
        )
    return rows


def _probabilities(rows: GroupedRows, *, from_logits: bool) -> NDArray[Any]:
    return np.exp(-np.logaddexp(0.0, -rows.scores)) if from_logits else rows.scores


def _mean_ratio(above: NDArray[Any], below: NDArray[Any], *, otherwise: float) -> float:
    """Over the groups for which there is something below the line."""
    valid = below > 0
    return float(np.mean(above[valid] / below[valid])) if valid.any() else otherwise
