"""The executor: `mox.run` and what its callbacks use."""

from moxing.tensorflow.executor.clone_collections import get_collection
from moxing.tensorflow.executor.hooks import (
    AggregativeSessionRunHook,
    EarlyStoppingHook,
    FeedSessionRunHook,
    LogEvaluationMetricHook,
    PlateauLREarlyStoppingHook,
)
from moxing.tensorflow.executor.input_spec import InputSpec
from moxing.tensorflow.executor.keys import ExportKeys, ModeKey, ModeKeys, MokeKeys
from moxing.tensorflow.executor.run import run
from moxing.tensorflow.executor.specs import ExportSpec, ModelSpec
from moxing.tensorflow.executor.var_scope import var_scope
from moxing.tensorflow.utils.hyper_param_flags import get_flag, set_flag

__all__ = [
    "AggregativeSessionRunHook",
    "EarlyStoppingHook",
    "ExportKeys",
    "ExportSpec",
    "FeedSessionRunHook",
    "InputSpec",
    "LogEvaluationMetricHook",
    "ModeKey",
    "ModeKeys",
    "ModelSpec",
    "MokeKeys",
    "PlateauLREarlyStoppingHook",
    "get_collection",
    "get_flag",
    "run",
    "set_flag",
    "var_scope",
]
