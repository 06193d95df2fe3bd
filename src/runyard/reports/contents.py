"""What a report is made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np


@dataclass(frozen=True)
class ScoredOutput:
    """What one model said about one output of one dataset.

    Args:
        labels: (n,), 0 or 1 if `kind` is binary, else class ids.
        scores: (n,) probabilities or logits if `kind` is binary; else (n,) predicted class ids or (n, k) scores.
        weights: (n,), or None if every row counts as one.
    """

    model: str
    dataset: str
    output: str
    labels: np.ndarray
    scores: np.ndarray
    weights: np.ndarray | None
    kind: Literal["binary", "classes"]


@dataclass(frozen=True)
class ReportTable:
    """The numbers of all models, as text.

    Args:
        best: the (row, column) cells to mark.
        remarks: sentences below it: what marks mean, where the models are, which of them failed.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    best: frozenset[tuple[int, int]]
    remarks: Sequence[str] = ()
