"""The metrics that need all rows at once, by their names in job files."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

from runyard.training.collected import CollectedMetric
from runyard.training.grouped_auc import grouped_auc
from runyard.training.probability_metrics import calibration, expected_calibration_error, log_loss
from runyard.training.ranking import hit_rate, ndcg, reciprocal_rank

_VALUES: Mapping[str, Callable[..., float]] = {
    "GAUC": grouped_auc,
    "NDCG": ndcg,
    "MRR": reciprocal_rank,
    "HitRate": hit_rate,
    "LogLoss": log_loss,
    "Calibration": calibration,
    "ECE": expected_calibration_error,
}
_NOT_FOR_THE_VALUE = ("name", "user_id_index")
_WITHOUT_EFFECT = {"GAUC": ("from_logits", "sample_size")}
"""Logits have the order of their probabilities, and all rows are used rather than a sample of them."""


def collected_metric(class_name: str, *, name: str, args: Mapping[str, Any]) -> CollectedMetric | None:
    """The metric of that class; None if it is not one of these."""
    value = _VALUES.get(class_name)
    if value is None:
        return None
    left_out = (*_NOT_FOR_THE_VALUE, *_WITHOUT_EFFECT.get(class_name, ()))
    settings = {key: setting for key, setting in args.items() if key not in left_out}
    return CollectedMetric(name, group_key=args.get("user_id_index"), value=functools.partial(value, **settings))
