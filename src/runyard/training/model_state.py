"""The variables of a model and its optimizers, under names that stay the same from run to run."""

from collections.abc import Sequence
from typing import Any

from runyard.bridge import KerasVersion, random_states, tensorflow_variable, variable_name
from runyard.checkpoint.state import VariableState


def model_state(model: Any, *, keras: KerasVersion) -> VariableState:
    """Weights and random states. Names hold the place and the variable's own name without Keras's running numbers."""
    weights = {
        f"{place:05d}/{_stable(variable_name(variable))}": tensorflow_variable(variable)
        for place, variable in enumerate(model.weights)
    }
    random = {f"random/{place:05d}": state for place, state in enumerate(random_states(model, keras=keras))}
    return VariableState({**weights, **random})


def numbered(variables: Sequence[Any], *, name: str) -> VariableState:
    """Variables that only their order tells apart."""
    return VariableState({f"{name}/{place:05d}": variable for place, variable in enumerate(variables)})


def _stable(name: str) -> str:
    """`dense_7/kernel` as `dense/kernel`: the number counts the layers that a process has made, not the model's."""
    parts = name.split("/")
    return "/".join(_without_number(part) for part in parts)


def _without_number(part: str) -> str:
    head, separator, tail = part.rpartition("_")
    return head if separator and tail.isdigit() else part
