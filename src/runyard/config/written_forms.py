"""The forms in which a job file may write optimizers, losses and metrics, brought to one form each."""

from collections.abc import Mapping
from typing import Annotated, cast

from pydantic import BeforeValidator, Field

from runyard.config.base import Part
from runyard.config.problems import nearest_name
from runyard.config.specs import LossSpec, MetricSpec, OptimizerSpec

_SPEC_KEYS = ("type", "args", "weight")


def _name_as_spec(value: object) -> object:
    return {"type": value} if isinstance(value, str) else value


Optimizer = Annotated[OptimizerSpec, BeforeValidator(_name_as_spec, json_schema_input_type=str | OptimizerSpec)]
Loss = Annotated[LossSpec, BeforeValidator(_name_as_spec, json_schema_input_type=str | LossSpec)]
Metric = Annotated[MetricSpec, BeforeValidator(_name_as_spec, json_schema_input_type=str | MetricSpec)]


def as_list(value: object) -> list[object]:
    """One thing where several may stand."""
    return cast("list[object]", value) if isinstance(value, list) else [value]


Optimizers = Annotated[
    list[Optimizer],
    BeforeValidator(as_list, json_schema_input_type=Optimizer | list[Optimizer]),
    Field(min_length=1),
]
Losses = Annotated[list[Loss], Field(min_length=1)]
Metrics = Annotated[list[Metric], BeforeValidator(as_list, json_schema_input_type=Metric | list[Metric])]


class LossForms(Part):
    """Losses in order (one for all outputs, or one for each), or by the name of the output."""

    in_order: Losses | None = None
    by_output: dict[str, Loss] | None = None


class MetricForms(Part):
    """Metrics for every output, for each output in order, or by the name of the output."""

    every_output: list[Metric] | None = None
    in_order: list[Metrics] | None = None
    by_output: dict[str, Metrics] | None = None


def _is_by_output(value: object) -> bool:
    """A dict whose keys are no spec's keys, not even misspelt ones, goes by output names."""
    if not isinstance(value, dict) or not value:
        return False
    keys = cast("Mapping[str, object]", value)
    return not any(key in _SPEC_KEYS or nearest_name(key, _SPEC_KEYS, likeness=0.75) for key in keys)


def _sort_losses(value: object) -> object:
    if isinstance(value, LossForms):
        return value
    return {"by_output": value} if _is_by_output(value) else {"in_order": as_list(value)}


def _sort_metrics(value: object) -> object:
    if isinstance(value, MetricForms):
        return value
    if _is_by_output(value):
        return {"by_output": value}
    listed = as_list(value)
    nested = any(isinstance(item, list) for item in listed)
    return {"in_order": listed} if nested else {"every_output": listed}


AnyLosses = Annotated[
    LossForms,
    BeforeValidator(_sort_losses, json_schema_input_type=Loss | list[Loss] | dict[str, Loss]),
]
AnyMetrics = Annotated[
    MetricForms,
    BeforeValidator(_sort_metrics, json_schema_input_type=Metric | list[Metric | list[Metric]] | dict[str, Metrics]),
]
