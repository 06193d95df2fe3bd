"""Histograms of scores, and whether probabilities mean what they say."""

from dataclasses import dataclass

import numpy as np

from runyard.reports.rows import BinaryRows

_CALIBRATION_BINS = 20
_HISTOGRAM_BINS = 40
_CENTRAL = (0.001, 0.999)
_FAR = 4.0


@dataclass(frozen=True)
class Histogram:
    """How the scores of each class are spread.

    Args:
        edges: (bins + 1,).
        negative: (bins,) weight of the negative rows.
        positive: (bins,) weight of the positive rows.
        outside: how many rows lie outside the edges; they are counted in the first and the last bin.
    """

    edges: np.ndarray
    negative: np.ndarray
    positive: np.ndarray
    outside: int


@dataclass(frozen=True)
class Calibration:
    """Predicted against observed, in bins of about as many rows each. All arrays have one entry for each bin.

    Args:
        predicted: the mean of the predicted probabilities.
        observed: the share of positive rows.
        rows: the number of rows, whatever they weigh.
        error: the mean distance between predicted and observed, weighted (expected calibration error).
        from_logits: whether the scores were no probabilities and went through the sigmoid.
    """

    predicted: np.ndarray
    observed: np.ndarray
    rows: np.ndarray
    error: float
    from_logits: bool


def are_probabilities(scores: np.ndarray) -> bool:
    return len(scores) == 0 or bool(scores.min() >= 0 and scores.max() <= 1)


def histogram(rows: BinaryRows, *, bins: int = _HISTOGRAM_BINS) -> Histogram:
    """Counts scores over their own range; a few that lie far away do not squeeze the rest into one bin."""
    low, high = _visible_range(rows.scores)
    place = np.clip(rows.scores, low, high).astype(np.float64)
    place -= low
    place *= bins / (high - low)
    number = np.minimum(place.astype(np.int32), bins - 1)
    return Histogram(
        edges=np.linspace(low, high, bins + 1),
        negative=np.bincount(number, weights=rows.weight_of(~rows.positive), minlength=bins),
        positive=np.bincount(number, weights=rows.weight_of(rows.positive), minlength=bins),
        outside=int(((rows.scores < low) | (rows.scores > high)).sum()),
    )


def calibration(rows: BinaryRows, *, bins: int = _CALIBRATION_BINS) -> Calibration:
    """Sorts rows into bins by quantiles of the score, so that rare events get bins too; equal scores stay together."""
    from_logits = not are_probabilities(rows.scores)
    edges = np.unique(np.quantile(rows.scores, np.linspace(0, 1, bins + 1)[1:-1], method="lower"))
    number = np.searchsorted(edges, rows.scores, side="left")
    probabilities = _sigmoid(rows.scores) if from_logits else rows.scores
    every = np.ones(len(rows.scores), bool)
    weight = rows.weight_of(every)
    total = np.bincount(number, weights=weight, minlength=len(edges) + 1)
    predicted = np.bincount(number, weights=weight * probabilities, minlength=len(edges) + 1)
    observed = np.bincount(number, weights=rows.weight_of(rows.positive), minlength=len(edges) + 1)
    count = np.bincount(number, minlength=len(edges) + 1)
    filled = total > 0
    total, predicted, observed = total[filled], predicted[filled] / total[filled], observed[filled] / total[filled]
    return Calibration(
        predicted=predicted,
        observed=observed,
        rows=count[filled],
        error=float(np.sum(np.abs(predicted - observed) * total) / total.sum()) if len(total) else float("nan"),
        from_logits=from_logits,
    )


def _visible_range(scores: np.ndarray) -> tuple[float, float]:
    lowest, highest = float(scores.min()), float(scores.max())
    low, high = (float(edge) for edge in np.quantile(scores, _CENTRAL, method="nearest"))
    if high > low and highest - lowest > _FAR * (high - low):
        lowest, highest = low, high
    size = max(abs(lowest), abs(highest))
    if highest - lowest > max(size * 1e-6, 1e-30):
        return lowest, highest
    if are_probabilities(scores):
        return 0.0, 1.0
    margin = 0.5 * max(size, 1.0)
    return lowest - margin, highest + margin


def _sigmoid(logits: np.ndarray) -> np.ndarray:
    return 0.5 * (1.0 + np.tanh(0.5 * logits.astype(np.float64)))
