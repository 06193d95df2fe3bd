"""Outputs, labels and weights side by side: which label belongs to which output."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from runyard.bridge import call_model, output_names
from runyard.errors import DataError


@dataclass(frozen=True)
class OutputLayout:
    """The names of a model's outputs, in the order in which lists of losses and metrics mean them."""

    names: tuple[str, ...]
    keys: tuple[str | int | None, ...]
    """How to reach each output in the structure that the model returns; None for a single tensor."""

    @property
    def single(self) -> bool:
        return len(self.names) == 1

    def flatten(self, structure: Any) -> list[Any]:
        """The outputs in order."""
        return [structure if key is None else structure[key] for key in self.keys]

    def spread(self, structure: Any, *, what: str) -> list[Any]:
        """Labels or weights, one for each output, as Keras does: by name, by position, or one for all.

        Raises:
            DataError: if there are fewer of them than outputs, or names that the model does not have.
        """
        if structure is None:
            return [None] * len(self.names)
        if isinstance(structure, Mapping):
            return self._by_name(structure, what=what)
        if isinstance(structure, tuple | list):
            return self._by_position(structure, what=what)
        return [structure] * len(self.names)

    def _by_name(self, structure: Mapping[str, Any], *, what: str) -> list[Any]:
        if self.single and len(structure) == 1:
            return list(structure.values())
        unknown = [name for name in structure if name not in self.names]
        if unknown:
            raise DataError(f"the {what} have the names {sorted(structure)}, but the outputs are {list(self.names)}")
        return [structure.get(name) for name in self.names]

    def _by_position(self, structure: Sequence[Any], *, what: str) -> list[Any]:
        if len(structure) < len(self.names):
            raise DataError(f"there are {len(structure)} {what} for {len(self.names)} outputs {list(self.names)}")
        return list(structure[: len(self.names)])


def layout_of(model: Any, outputs: Any) -> OutputLayout:
    """Reads the layout off the outputs of a call."""
    if isinstance(outputs, Mapping):
        keys = tuple(sorted(outputs))
        return OutputLayout(names=tuple(str(key) for key in keys), keys=keys)
    if isinstance(outputs, tuple | list):
        return OutputLayout(names=tuple(output_names(model, count=len(outputs))), keys=tuple(range(len(outputs))))
    return OutputLayout(names=tuple(output_names(model, count=1)), keys=(None,))


def trace_outputs(model: Any, inputs: Any) -> Any:
    """The outputs of a model as symbolic tensors for inputs of a given spec. Creates the model's variables.

    Args:
        inputs: the inputs as `tf.TensorSpec`s, as a dataset's `element_spec` has them.
    """
    traced: list[Any] = []

    def forward(batch: Any) -> None:
        traced.append(call_model(model, batch, training=False))

    tf.function(forward, autograph=False).get_concrete_function(inputs)
    return traced[-1]
