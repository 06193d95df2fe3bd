"""Optimizers by name."""

import difflib
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.optimizer.failures import UnknownOptimizer, WrongOptimizerArguments
from moxing.tensorflow.optimizer.keys import OptimizerKeys

_CLASSES: dict[str, type[Any]] = {
    OptimizerKeys.ADADELTA: tf.train.AdadeltaOptimizer,
    OptimizerKeys.ADAGRAD: tf.train.AdagradOptimizer,
    OptimizerKeys.ADAM: tf.train.AdamOptimizer,
    OptimizerKeys.FTRL: tf.train.FtrlOptimizer,
    OptimizerKeys.MOMENTUM: tf.train.MomentumOptimizer,
    OptimizerKeys.RMSPROP: tf.train.RMSPropOptimizer,
    OptimizerKeys.SGD: tf.train.GradientDescentOptimizer,
}
_USUAL = {OptimizerKeys.MOMENTUM: {"momentum": 0.9}}


def get_optimizer_fn(
    name: str, learning_rate: Any, scope: str | None = None, *args: Any, **kwargs: Any
) -> Callable[[], tf.train.Optimizer]:
    """A function that makes an optimizer, for `mox.run(optimizer_fn=...)`.

    Args:
        name: adadelta, adagrad, adam, ftrl, momentum, rmsprop or sgd.
        learning_rate: a number, a tensor, or a function that makes one when the optimizer is made.
        scope: the name of the optimizer in the graph.
        args: further arguments of TensorFlow's optimizer.
        kwargs: the same by name, such as `beta1=0.5`; `momentum` is 0.9 unless given.

    Raises:
        UnknownOptimizer: a ValueError, for another name.
        WrongOptimizerArguments: a TypeError, if the optimizer does not take these arguments.
    """
    made_by = _CLASSES.get(name)
    if made_by is None:
        raise UnknownOptimizer(f"there is no optimizer {name!r}", hint=choices(name, _CLASSES))
    given = kwargs if args else _USUAL.get(name, {}) | kwargs
    given |= {"name": scope} if scope else {}
    try:
        inspect.signature(made_by).bind(learning_rate, *args, **given)
    except TypeError as error:
        takes = ", ".join(inspect.signature(made_by).parameters)
        raise WrongOptimizerArguments(f"optimizer {name!r}: {error}", hint=f"it takes {takes}") from None

    def make() -> tf.train.Optimizer:
        rate = learning_rate() if callable(learning_rate) else learning_rate
        return made_by(rate, *args, **given)

    return make


def choices(name: object, known: Iterable[str]) -> str:
    """What there is, the likeliest first."""
    names = sorted(known)
    close = difflib.get_close_matches(str(name).lower(), names, n=1)
    meant = f"did you mean {close[0]}? " if close else ""
    return f"{meant}There are {', '.join(names)}"
