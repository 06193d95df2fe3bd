"""Optimizers, what wraps them, and schedules for their learning rates."""

from moxing.tensorflow.optimizer import learning_rate_scheduler
from moxing.tensorflow.optimizer.keys import OptimizerKeys
from moxing.tensorflow.optimizer.optimizers import get_optimizer_fn
from moxing.tensorflow.optimizer.wrappers import get_optimizer_wrapper_fn

__all__ = ["OptimizerKeys", "get_optimizer_fn", "get_optimizer_wrapper_fn", "learning_rate_scheduler"]
