"""Which class was taken for which."""

from dataclasses import dataclass

import numpy as np

from runyard.reports.rows import ClassRows

_MOST_CLASSES = 30


@dataclass(frozen=True)
class Confusion:
    """Weights of rows by label and predicted class.

    Args:
        classes: the ids, rising; the most frequent ones if there are too many to show.
        counts: (labels, predictions); if classes were left out, the last row and the last column hold all of them.
        left_out: how many classes have no row of their own.
        accuracy: over all rows and classes.
    """

    classes: np.ndarray
    counts: np.ndarray
    left_out: int
    accuracy: float


def confusion(rows: ClassRows, *, most: int = _MOST_CLASSES) -> Confusion:
    """Counts pairs of label and prediction.

    Args:
        most: how many classes to show; those with the most labels, then those with the most predictions.
    """
    number = len(rows.labels)
    classes, ids = np.unique(np.concatenate([rows.labels, rows.predictions]), return_inverse=True)
    label_ids, predicted_ids = ids[:number], ids[number:]
    labelled = np.bincount(label_ids, weights=rows.weights, minlength=len(classes))
    predicted = np.bincount(predicted_ids, weights=rows.weights, minlength=len(classes))
    shown = np.sort(np.lexsort((-predicted, -labelled))[:most])
    place = np.full(len(classes), len(shown))
    place[shown] = np.arange(len(shown))
    size = len(shown) + (len(classes) > len(shown))
    counts = np.bincount(place[label_ids] * size + place[predicted_ids], weights=rows.weights, minlength=size * size)
    right = np.bincount((label_ids == predicted_ids).astype(np.int8), weights=rows.weights, minlength=2)
    return Confusion(
        classes=classes[shown],
        counts=counts.reshape(size, size),
        left_out=len(classes) - len(shown),
        accuracy=float(right[1] / right.sum()) if right.sum() > 0 else float("nan"),
    )
