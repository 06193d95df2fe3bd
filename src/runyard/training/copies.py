"""Several copies of the state that a forward pass changes, one for each part of the data.

Moving statistics (BatchNormalization) and random states (Dropout) change whenever a model looks at rows. Each shard of
the data and each replica of the model has a copy of its own, so that a result does not depend on which process or
device has looked at which part.
"""

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import tensorflow as tf

from runyard.bridge import call_model
from runyard.training.flat_rules import is_only_read


class Copies:
    """Several values of the same variables. The first are in the variables themselves."""

    def __init__(self, variables: Mapping[str, Any], *, count: int) -> None:
        self._own = dict(variables)
        self._others = [{name: _copy(each) for name, each in variables.items()} for _ in range(count - 1)]

    @property
    def each(self) -> list[Mapping[str, Any]]:
        """The variables of every copy, by name."""
        return [self._own, *self._others]

    def begin_alike(self) -> None:
        """All copies become the first."""
        for copy in self._others:
            for name, variable in copy.items():
                variable.assign(self._own[name])

    @contextlib.contextmanager
    def in_place(self, index: int) -> Iterator[None]:
        """Within the block the variables hold the values of a copy, which keeps their changes; in a `tf.function`."""
        if index == 0:
            yield
            return
        copy = self._others[index - 1]
        first = {name: variable.read_value() for name, variable in self._own.items()}
        for name, variable in self._own.items():
            variable.assign(copy[name].read_value())
        yield
        for name, variable in self._own.items():
            copy[name].assign(variable.read_value())
            variable.assign(first[name])


def changed_in_training(model: Any, *, inputs: Any, variables: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the variables that the forward pass of a training changes.

    Args:
        inputs: of the model, as `tf.TensorSpec`s.
    """
    found: dict[str, Any] = {}

    def forward(batch: Any) -> None:
        call_model(model, batch, training=True)
        found.update({name: each for name, each in variables.items() if not is_only_read(each)})

    tf.function(forward, autograph=False).get_concrete_function(inputs)
    return found


def _copy(variable: Any) -> Any:
    return tf.Variable(variable.read_value(), trainable=False, name="copy")
