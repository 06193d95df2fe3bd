"""A moving average of the weights, which validation and the saved model use instead of the last weights."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import tensorflow as tf


class WeightAverage:
    """Averages of variables. `update` works inside a `tf.function`."""

    def __init__(self, variables: Sequence[Any], *, momentum: float) -> None:
        self._originals = list(variables)
        self._momentum = momentum
        self.variables = [_beside(variable) for variable in variables]

    def start(self) -> None:
        """Begins anew with the weights of now."""
        for average, original in zip(self.variables, self._originals, strict=True):
            average.assign(original)

    def update(self) -> None:
        for average, original in zip(self.variables, self._originals, strict=True):
            average.assign_sub((average - original) * (1.0 - self._momentum))

    @contextlib.contextmanager
    def in_place(self) -> Iterator[None]:
        """The averages are the weights within the block."""
        kept = [variable.read_value() for variable in self._originals]
        self.use()
        try:
            yield
        finally:
            for variable, value in zip(self._originals, kept, strict=True):
                variable.assign(value)

    def instead_of(self, variables: Sequence[Any]) -> list[Any]:
        """The variables, with averages in place of those that have one."""
        averages = {original.ref(): average for original, average in zip(self._originals, self.variables, strict=True)}
        return [averages.get(variable.ref(), variable) for variable in variables]

    def use(self) -> None:
        """The averages become the weights for good."""
        for variable, average in zip(self._originals, self.variables, strict=True):
            variable.assign(average)


def _beside(variable: Any) -> Any:
    """A copy of a variable, on its device."""
    with tf.device(variable.device):
        return tf.Variable(variable, trainable=False, name="average")
