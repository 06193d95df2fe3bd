"""Scored outputs to report on, and the slow, obvious way to compute their numbers."""

from typing import Any, Literal

import numpy as np

from runyard.reports.evaluation import ReportTable, ScoredOutput
from runyard.reports.rows import BinaryRows

NO_TABLE = ReportTable(columns=(), rows=(), best=frozenset())


def scored(
    labels: Any,
    scores: Any,
    *,
    weights: Any = None,
    kind: Literal["binary", "classes"] = "binary",
    model: str = "new",
    dataset: str = "test",
    output: str = "click",
) -> ScoredOutput:
    weights = None if weights is None else np.asarray(weights)
    return ScoredOutput(model, dataset, output, np.asarray(labels), np.asarray(scores), weights, kind)


def random_rows(rows: int, *, weighted: bool = False, decimals: int = 2, seed: int = 0) -> BinaryRows:
    """Rows with many equal scores and scores that say something about the label."""
    random = np.random.default_rng(seed)
    positive = random.random(rows) < 0.3
    scores = np.round(np.clip(0.3 * positive + 0.7 * random.random(rows), 0, 1), decimals)
    weights = random.choice([0.0, 0.5, 1.0, 3.0], size=rows) if weighted else None
    return BinaryRows(positive=positive, scores=scores, weights=weights, remarks=())


def auc_by_pairs(rows: BinaryRows) -> float:
    """The share of pairs in the right order, equal scores half; every pair is looked at."""
    weights = np.ones(len(rows.scores)) if rows.weights is None else rows.weights
    positive, negative = rows.scores[rows.positive], rows.scores[~rows.positive]
    pairs = weights[rows.positive][:, None] * weights[~rows.positive][None, :]
    right = (positive[:, None] > negative[None, :]) + 0.5 * (positive[:, None] == negative[None, :])
    return float((pairs * right).sum() / pairs.sum())


def average_precision_by_threshold(rows: BinaryRows) -> float:
    weights = np.ones(len(rows.scores)) if rows.weights is None else rows.weights
    area = before = 0.0
    for threshold in sorted(set(rows.scores.tolist()), reverse=True):
        taken = rows.scores >= threshold
        if weights[taken].sum() > 0:
            recall = weights[taken & rows.positive].sum() / weights[rows.positive].sum()
            area += (recall - before) * weights[taken & rows.positive].sum() / weights[taken].sum()
            before = recall
    return float(area)
