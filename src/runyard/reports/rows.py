"""The rows of a scored output that can be drawn, and remarks on those that cannot."""

from dataclasses import dataclass

import numpy as np

from runyard.errors import DataError
from runyard.reports.contents import ScoredOutput

_BEYOND_DRAWING = 1e30  # leaves room for sums and differences


@dataclass(frozen=True)
class BinaryRows:
    """Rows with finite scores.

    Args:
        positive: (n,) bool.
        scores: (n,), as the model gave them.
        weights: (n,), none negative; None if every row counts as one.
        remarks: what was done to get here, each a sentence.
    """

    positive: np.ndarray
    scores: np.ndarray
    weights: np.ndarray | None
    remarks: tuple[str, ...]

    def weight_of(self, rows: np.ndarray) -> np.ndarray:
        """The weights, and 0 outside `rows` (a mask)."""
        return rows.astype(np.float64) if self.weights is None else np.where(rows, self.weights, 0.0)


@dataclass(frozen=True)
class ClassRows:
    """Rows with a predicted class."""

    labels: np.ndarray
    predictions: np.ndarray
    weights: np.ndarray | None
    remarks: tuple[str, ...]


def binary_rows(scored: ScoredOutput) -> BinaryRows:
    """Leaves out what has no place in a plot.

    Raises:
        DataError: if labels, scores and weights have different lengths.
    """
    labels, scores, weights = _flat(scored, scored.labels), _flat(scored, scored.scores), _weights(scored)
    kept, remarks = _usable(_is_drawable(scores) & _is_drawable(labels), weights=weights)
    labels, scores = _only(kept, labels), _only(kept, scores)
    positive = labels > 0.5
    if (labels != positive).any():
        remarks.append("Labels other than 0 and 1 were found; those above 0.5 count as 1.")
    return BinaryRows(positive=positive, scores=scores, weights=_weights_only(kept, weights), remarks=tuple(remarks))


def class_rows(scored: ScoredOutput) -> ClassRows:
    """Turns scores of classes into the class with the highest one.

    Raises:
        DataError: if labels, scores and weights have different lengths.
    """
    labels, weights = _flat(scored, scored.labels), _weights(scored)
    scores = np.asarray(scored.scores)
    if scores.ndim == 2 and scores.shape[1] > 1 and len(scores) == len(labels):
        usable = ~np.isnan(scores).any(axis=1)
        predictions = scores.argmax(axis=1)
    else:
        predictions = _flat(scored, scores)
        usable = _is_drawable(predictions)
    kept, remarks = _usable(usable & _is_drawable(labels), weights=weights)
    return ClassRows(
        labels=_as_ids(_only(kept, labels)),
        predictions=_as_ids(_only(kept, predictions)),
        weights=_weights_only(kept, weights),
        remarks=tuple(remarks),
    )


def _flat(scored: ScoredOutput, values: np.ndarray) -> np.ndarray:
    values = np.asarray(values)
    rows = len(scored.labels)
    if values.size != rows:
        raise DataError(
            f"output {scored.output!r} of {scored.model!r} on {scored.dataset!r}: "
            f"{rows:,} labels, but an array of shape {values.shape} beside them"
        )
    values = values.reshape(-1)
    usual = values.dtype.kind in "biuf" and values.dtype != np.float16
    return values if usual else values.astype(np.float32)  # bfloat16 is of no kind that NumPy knows


def _weights(scored: ScoredOutput) -> np.ndarray | None:
    return None if scored.weights is None else _flat(scored, scored.weights).astype(np.float64, copy=False)


def _is_drawable(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind != "f":
        return np.ones(len(values), bool)
    return np.abs(values) < _BEYOND_DRAWING  # False for NaN as well


def _usable(finite: np.ndarray, *, weights: np.ndarray | None) -> tuple[np.ndarray, list[str]]:
    remarks = _left_out(finite, why="a score or label that is not a finite number")
    if weights is None:
        return finite, remarks
    weighable = _is_drawable(weights) & (weights >= 0)
    return finite & weighable, remarks + _left_out(weighable, why="a weight that is negative or not a finite number")


def _left_out(kept: np.ndarray, *, why: str) -> list[str]:
    number = len(kept) - int(kept.sum())
    return [f"{number:,} of {len(kept):,} rows have {why}; they are left out."] if number else []


def _only(kept: np.ndarray, values: np.ndarray) -> np.ndarray:
    return values if kept.all() else values[kept]


def _weights_only(kept: np.ndarray, weights: np.ndarray | None) -> np.ndarray | None:
    return None if weights is None else _only(kept, weights)


def _as_ids(values: np.ndarray) -> np.ndarray:
    return values if values.dtype.kind in "iu" else np.rint(values).astype(np.int64)
