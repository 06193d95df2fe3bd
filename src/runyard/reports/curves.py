"""ROC and precision-recall curves: exact areas from all rows, and few enough points to draw."""

from dataclasses import dataclass

import numpy as np

from runyard.reports.rows import BinaryRows
from runyard.reports.thinning import columns_of_pixels, corners


@dataclass(frozen=True)
class Ranking:
    """The rows from the highest score to the lowest, equal scores in one.

    Args:
        thresholds: the distinct scores, falling.
        true_positives: for each threshold the weight of the positive rows with at least this score.
        false_positives: the same of the negative rows.
    """

    thresholds: np.ndarray
    true_positives: np.ndarray
    false_positives: np.ndarray

    @property
    def positives(self) -> float:
        return float(self.true_positives[-1]) if len(self.true_positives) else 0.0

    @property
    def negatives(self) -> float:
        return float(self.false_positives[-1]) if len(self.false_positives) else 0.0

    @property
    def has_both_classes(self) -> bool:
        return self.positives > 0 and self.negatives > 0


@dataclass(frozen=True)
class Curve:
    """A line from left to right.

    Args:
        thresholds: the score at each point; infinite where no row is counted yet.
        area: under all the points, before any was left out.
    """

    x: np.ndarray
    y: np.ndarray
    thresholds: np.ndarray
    area: float

    def thinned(self, *, kept: np.ndarray) -> "Curve":
        return Curve(x=self.x[kept], y=self.y[kept], thresholds=self.thresholds[kept], area=self.area)


def rank(rows: BinaryRows) -> Ranking:
    """Sorts the rows, once for all curves."""
    order = np.argsort(rows.scores)[::-1]
    scores = rows.scores[order]
    last_of_equals = np.append(np.flatnonzero(scores[1:] != scores[:-1]), len(scores) - 1) if len(scores) else order
    positive = rows.positive[order]
    weights = None if rows.weights is None else rows.weights[order]
    del order
    return Ranking(
        thresholds=scores[last_of_equals],
        true_positives=_running_weight(positive, weights=weights)[last_of_equals],
        false_positives=_running_weight(~positive, weights=weights)[last_of_equals],
    )


def roc(ranking: Ranking) -> Curve:
    """The share of the positive rows found (y) against the share of the negative ones taken for positive (x).

    The area is the exact AUC: equal scores count half.
    """
    x = np.concatenate([[0.0], ranking.false_positives / ranking.negatives])
    y = np.concatenate([[0.0], ranking.true_positives / ranking.positives])
    thresholds = np.concatenate([[np.inf], ranking.thresholds])
    curve = Curve(x=x, y=y, thresholds=thresholds, area=float(np.trapezoid(y, x)))
    curve = curve.thinned(kept=columns_of_pixels(curve.x, curve.y))
    return curve.thinned(kept=corners(curve.x, curve.y))


def precision_recall(ranking: Ranking) -> Curve:
    """Precision (y) against recall (x), drawn in steps; the area is the average precision."""
    found = ranking.true_positives
    taken = found + ranking.false_positives
    counted = taken > 0  # rows of no weight may come first
    recall, thresholds = found[counted] / ranking.positives, ranking.thresholds[counted]
    precision = found[counted] / taken[counted]
    area = float(np.sum(np.diff(recall, prepend=0.0) * precision))
    kept = columns_of_pixels(recall, precision)
    recall, precision, thresholds = recall[kept], precision[kept], thresholds[kept]
    steps = Curve(
        x=np.column_stack([np.concatenate([[0.0], recall[:-1]]), recall]).reshape(-1),
        y=np.repeat(precision, 2),
        thresholds=np.repeat(thresholds, 2),
        area=area,
    )
    return steps.thinned(kept=corners(steps.x, steps.y))


def _running_weight(counted: np.ndarray, *, weights: np.ndarray | None) -> np.ndarray:
    if weights is None:
        return np.cumsum(counted, dtype=np.int64)
    return np.cumsum(np.where(counted, weights, 0.0))
