"""Optimizers of either Keras."""

from collections.abc import Sequence
from typing import Any

from runyard.bridge.choice import KerasVersion
from runyard.bridge.variables import tensorflow_variable


def apply_gradients(optimizer: Any, gradients: Sequence[Any], variables: Sequence[Any], *, keras: KerasVersion) -> None:
    """Applies gradients that are already reduced over replicas: no further reduction happens."""
    pairs = [pair for pair in zip(gradients, variables, strict=True) if pair[0] is not None]
    if keras == 2:
        optimizer.apply_gradients(pairs, skip_gradients_aggregation=True)
    else:
        optimizer.apply_gradients(pairs)


def without_reduction(optimizer: Any, *, keras: KerasVersion) -> Any:
    """An optimizer that leaves the reduction over replicas to us. Keras 3 has no public switch for it."""
    if keras == 3 and hasattr(optimizer, "_all_reduce_sum_gradients"):
        optimizer._all_reduce_sum_gradients = lambda grads_and_vars: grads_and_vars
    return optimizer


def optimizer_variables(optimizer: Any) -> list[Any]:
    """Everything that an optimizer remembers, its step counter included."""
    variables: Any = optimizer.variables
    listed: Any = variables() if callable(variables) else variables
    return [tensorflow_variable(variable) for variable in listed]


def optimizer_memory(optimizer: Any) -> list[Any]:
    """What an optimizer has learned. The rate, which Keras 3 keeps among its variables, is what somebody has chosen."""
    rate = tensorflow_variable(optimizer._learning_rate)
    return [variable for variable in optimizer_variables(optimizer) if variable is not rate]


def learning_rate_of(optimizer: Any) -> float:
    """The rate of the next step, a schedule's value included."""
    rate: Any = optimizer._learning_rate  # Keras 2's `learning_rate` is what the last step used
    value: Any = rate(optimizer.iterations) if callable(rate) else rate
    return float(value)


def finish_optimizer(optimizer: Any, variables: Sequence[Any]) -> None:
    """What Keras does at the end of training: with `use_ema`, the averages become the weights."""
    if getattr(optimizer, "use_ema", False):
        optimizer.finalize_variable_values(variables)
