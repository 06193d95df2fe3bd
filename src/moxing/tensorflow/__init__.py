"""`import moxing.tensorflow as mox`: everything that a script of MoXing uses."""

from moxing.tensorflow.start import start

start()

from moxing.framework import file  # noqa: E402
from moxing.tensorflow.executor import (  # noqa: E402
    AggregativeSessionRunHook,
    EarlyStoppingHook,
    ExportKeys,
    ExportSpec,
    FeedSessionRunHook,
    InputSpec,
    LogEvaluationMetricHook,
    ModeKey,
    ModeKeys,
    ModelSpec,
    MokeKeys,
    PlateauLREarlyStoppingHook,
    get_collection,
    get_flag,
    run,
    set_flag,
    var_scope,
)
from moxing.tensorflow.optimizer import OptimizerKeys, get_optimizer_fn, get_optimizer_wrapper_fn  # noqa: E402
from moxing.tensorflow.utils.log_cache import cache  # noqa: E402

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
    "OptimizerKeys",
    "PlateauLREarlyStoppingHook",
    "cache",
    "file",
    "get_collection",
    "get_flag",
    "get_optimizer_fn",
    "get_optimizer_wrapper_fn",
    "run",
    "set_flag",
    "var_scope",
]
