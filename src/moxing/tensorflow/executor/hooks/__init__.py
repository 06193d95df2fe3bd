"""Hooks: what happens between the steps of a run."""

from moxing.tensorflow.executor.hooks.aggregative import AggregativeSessionRunHook
from moxing.tensorflow.executor.hooks.early_stopping import EarlyStoppingHook
from moxing.tensorflow.executor.hooks.feed import FeedSessionRunHook
from moxing.tensorflow.executor.hooks.log_metric import LogEvaluationMetricHook
from moxing.tensorflow.executor.hooks.plateau import PlateauLREarlyStoppingHook

__all__ = [
    "AggregativeSessionRunHook",
    "EarlyStoppingHook",
    "FeedSessionRunHook",
    "LogEvaluationMetricHook",
    "PlateauLREarlyStoppingHook",
]
