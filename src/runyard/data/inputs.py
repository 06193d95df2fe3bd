"""Inputs that are kept from the model and left to metrics, such as user ids."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runyard.errors import DataError


@dataclass(frozen=True)
class InputChoice:
    """Which inputs of an element go into a model."""

    exclude: Sequence[int | str] = ()
    squeeze: bool = False

    def apply(self, inputs: Any) -> Any:
        return model_inputs(inputs, exclude=self.exclude, squeeze=self.squeeze)


def model_inputs(inputs: Any, *, exclude: Sequence[int | str], squeeze: bool) -> Any:
    """The inputs without the excluded ones.

    Args:
        exclude: positions in a tuple or list, or keys of a dict.
        squeeze: pass the one input that is left bare.

    Raises:
        DataError: if an excluded input does not exist, or none is left.
    """
    if not exclude:
        return inputs
    if isinstance(inputs, dict):
        _refuse_missing([key for key in exclude if key not in inputs], there=list(inputs))
        left: Any = {key: value for key, value in inputs.items() if key not in exclude}
        _refuse_nothing(left, exclude=exclude)
        return next(iter(left.values())) if squeeze and len(left) == 1 else left
    if not isinstance(inputs, tuple | list):
        raise DataError(
            f"model_call_exclude_input_index is {list(exclude)}, but the dataset has one input only",
            hint="the inputs must be a tuple or a dict",
        )
    _refuse_missing([key for key in exclude if key not in range(len(inputs))], there=list(range(len(inputs))))
    left = tuple(value for position, value in enumerate(inputs) if position not in exclude)
    _refuse_nothing(left, exclude=exclude)
    return left[0] if squeeze and len(left) == 1 else left


def _refuse_missing(missing: Sequence[int | str], *, there: Sequence[int | str]) -> None:
    if missing:
        raise DataError(f"model_call_exclude_input_index names {missing}, but the inputs are {there}")


def _refuse_nothing(left: Any, *, exclude: Sequence[int | str]) -> None:
    if not left:
        raise DataError(f"model_call_exclude_input_index is {list(exclude)}, which leaves no input for the model")
