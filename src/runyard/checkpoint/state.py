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

    def state(self) -> Snapshot:
        """A snapshot of now, quickly."""
        ...

    def load_state(self, snapshot: Snapshot) -> None:
        """Goes back to a snapshot."""
        ...


@dataclass(frozen=True)
class VariableState:
    """Variables by name."""

    variables: Mapping[str, Any]

    def state(self) -> Snapshot:
        # read_value() copies on write: nothing is copied until the next step changes the variable.
        return Snapshot({name: variable.read_value() for name, variable in self.variables.items()})

    def load_state(self, snapshot: Snapshot) -> None:
        for name, variable in self.variables.items():
            variable.assign(snapshot.tensors[name])


def combine(parts: Mapping[str, Stateful]) -> Snapshot:
    """The snapshots of all parts, their names prefixed with that of the part."""
    tensors: dict[str, Any] = {}
    values: dict[str, Any] = {}
    for part, stateful in parts.items():
        snapshot = stateful.state()
        tensors.update({f"{part}/{name}": tensor for name, tensor in snapshot.tensors.items()})
        values[part] = dict(snapshot.values)
    return Snapshot(tensors, values)


def distribute(snapshot: Snapshot, parts: Mapping[str, Stateful]) -> None:
    """Gives each part its own share of a combined snapshot."""
    for part, stateful in parts.items():
        prefix = f"{part}/"
        tensors = {
            name.removeprefix(prefix): tensor for name, tensor in snapshot.tensors.items() if name.startswith(prefix)
        }
        stateful.load_state(Snapshot(tensors, snapshot.values.get(part, {})))


def describe_tensor(tensor: Any) -> dict[str, Any]:
    """Shape and type, as a manifest lists them."""
    variant = tensor.dtype == tf.variant
    return {"dtype": tensor.dtype.name, "shape": None if variant else tensor.shape.as_list()}
