"""Optimizers around optimizers, by name."""

import inspect
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.lines import warn_line
from moxing.tensorflow.optimizer.batch_gradients import BatchGradientsOptimizer
from moxing.tensorflow.optimizer.failures import UnknownOptimizer, WrongOptimizerArguments
from moxing.tensorflow.optimizer.lars import LarsOptimizer
from moxing.tensorflow.optimizer.optimizers import choices
from moxing.tensorflow.optimizer.workers import is_one_of_many, steps_on_its_own

_WRAPPERS: dict[str, Callable[..., tf.train.Optimizer]] = {
    "batch_gradients": BatchGradientsOptimizer,
    "lars": LarsOptimizer,
}


def get_optimizer_wrapper_fn(name: str, opt: tf.train.Optimizer, **kwargs: Any) -> Callable[[], tf.train.Optimizer]:
    """A function that makes an optimizer around another one.

    Args:
        name: batch_gradients (num_batches, sync_on_apply) or lars (ratio, weight_decay).
        opt: the optimizer inside, which may be wrapped already.

    Raises:
        UnknownOptimizer: a ValueError, for another name.
        WrongOptimizerArguments: a TypeError, if it is no optimizer, or the wrapper does not take these arguments.
    """
    made_by = _WRAPPERS.get(name)
    if made_by is None:
        raise UnknownOptimizer(f"there is no optimizer wrapper {name!r}", hint=_remedy(name))
    if not isinstance(opt, tf.train.Optimizer):
        raise WrongOptimizerArguments(
            f"optimizer wrapper {name!r}: {opt!r} is no optimizer",
            hint="get_optimizer_fn(...) makes a function; call it: get_optimizer_fn(...)()",
        )
    try:
        inspect.signature(made_by).bind(opt, **kwargs)
    except TypeError as error:
        takes = ", ".join(list(inspect.signature(made_by).parameters)[1:])
        raise WrongOptimizerArguments(f"optimizer wrapper {name!r}: {error}", hint=f"it takes {takes}") from None

    def make() -> tf.train.Optimizer:
        if is_one_of_many() and not steps_on_its_own():
            warn_line("Using OptimizerWrapper when sync_replicas is True may cause performance loss.")
        return made_by(opt, **kwargs)

    return make


def _remedy(name: str) -> str:
    if str(name).lower() == "easgd":
        return (
            "elastic averaging is not there: --sync_replicas=False lets workers step on their own, and batch_gradients"
            " with sync_on_apply=False lets them talk to the parameter servers less often"
        )
    return choices(name, _WRAPPERS)
