"""Inputs in groups, for an `input_fn` that has more to say than a list of tensors."""

from collections.abc import Sequence
from typing import Any


class InputSpec:
    """Groups of inputs; `model_fn` asks for them with `inputs.get_input(index)`.

    Args:
        split_to_device: each device reads ahead for itself; otherwise one reads ahead for all. Either way every
            device gets batches of its own.
    """

    def __init__(self, split_to_device: bool = False) -> None:
        self.split_to_device = split_to_device
        self._groups: list[list[Any]] = []

    def new_input(self, inputs: Sequence[Any]) -> None:
        """Adds a group."""
        self._groups.append(list(inputs))

    def get_input(self, index: int) -> list[Any]:
        """The tensors of one group, in the order in which they were given."""
        return list(self._groups[index])

    @property
    def groups(self) -> list[list[Any]]:
        return [list(group) for group in self._groups]

    def with_groups(self, groups: Sequence[Sequence[Any]]) -> "InputSpec":
        """The same with other tensors: those of one device."""
        changed = InputSpec(split_to_device=self.split_to_device)
        for group in groups:
            changed.new_input(group)
        return changed
