"""The state of a run: named tensors that change while it runs, and a few plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import tensorflow as tf


@dataclass(frozen=True)
class Snapshot:
    """The state at one moment. Tensors are immutable, so writing them can wait."""

    tensors: Mapping[str, Any]
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])


class Stateful(Protocol):
    """Anything whose state a checkpoint must hold."""

    def tensors(self) -> Mapping[str, Any]:
        """The tensors of now, by name; quickly, because the loop waits."""
        ...

    def values(self) -> Mapping[str, Any]:
        """The plain values of now, as JSON can hold them."""
        ...

    def restore(self, tensors: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        """Goes back to an earlier state."""
        ...


@dataclass(frozen=True)
class VariableState:
    """Variables by name."""

    variables: Mapping[str, Any]

    def tensors(self) -> Mapping[str, Any]:
        # read_value() copies on write: nothing is copied until the next step changes the variable.
        return {name: variable.read_value() for name, variable in self.variables.items()}

    def values(self) -> Mapping[str, Any]:
        return {}

    def restore(self, tensors: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        for name, variable in self.variables.items():
            variable.assign(tensors[name])


def take_snapshot(parts: Mapping[str, Stateful]) -> Snapshot:
    """The states of all parts, their names prefixed with that of the part."""
    tensors = {f"{part}/{name}": tensor for part, holder in parts.items() for name, tensor in holder.tensors().items()}
    return Snapshot(tensors, {part: dict(holder.values()) for part, holder in parts.items()})


def restore_snapshot(snapshot: Snapshot, parts: Mapping[str, Stateful]) -> list[str]:
    """Gives each part its own share of a snapshot; returns the parts that it knows nothing of, left as they are."""
    for part, holder in parts.items():
        if part not in snapshot.values:
            continue
        prefix = f"{part}/"
        mine = {
            name.removeprefix(prefix): tensor for name, tensor in snapshot.tensors.items() if name.startswith(prefix)
        }
        holder.restore(mine, snapshot.values[part])
    return [part for part in parts if part not in snapshot.values]


def describe_tensor(tensor: Any) -> dict[str, Any]:
    """Shape and type, as a manifest lists them."""
    variant = tensor.dtype == tf.variant
    return {"dtype": tensor.dtype.name, "shape": None if variant else tensor.shape.as_list()}
