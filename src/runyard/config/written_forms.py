"""The forms in which a job file may write optimizers, losses and metrics, brought to one form each."""

import re
from collections.abc import Mapping
from typing import Annotated, cast

from pydantic import BeforeValidator, Field

from runyard.config.base import Part
from runyard.config.known_names import Kind, find
from runyard.config.mistakes import Mistake, mistakes_error, show_value
from runyard.config.problems import nearest_name
from runyard.config.specs import LossName, LossSpec, MetricName, MetricSpec, OptimizerName, OptimizerSpec

_SPEC_KEYS = ("type", "args", "weight")


def _name_as_spec(value: object) -> object:
    if isinstance(value, str):
        return {"type": value}
    if not isinstance(value, dict | Part):
        message = 'needs a name or an object {"type": ..., "args": {...}}'
        raise mistakes_error([Mistake(message, received=show_value(value))])
    return cast("object", value)


_AT_K = re.compile(r"(.+)@([0-9]{1,9})")


def _metric_as_spec(value: object) -> object:
    """`ndcg@10` is an `ndcg` with a `k` of 10, called as it is written."""
    spec = _name_as_spec(value)
    if not isinstance(spec, dict):
        return spec
    written = cast("dict[str, object]", spec)
    name, args = written.get("type"), written.get("args", {})
    at_k = _AT_K.fullmatch(name) if isinstance(name, str) else None
    known = find(Kind.METRIC, at_k[1]) if at_k else None
    if at_k is None or known is None or "k" not in known.parameters or not isinstance(args, dict) or "k" in args:
        return written
    given = cast("dict[str, object]", args)
    return {**written, "type": at_k[1], "args": {"k": int(at_k[2]), "name": at_k[0].lower(), **given}}


Optimizer = Annotated[
    OptimizerSpec, BeforeValidator(_name_as_spec, json_schema_input_type=OptimizerName | OptimizerSpec)
]
Loss = Annotated[LossSpec, BeforeValidator(_name_as_spec, json_schema_input_type=LossName | LossSpec)]
Metric = Annotated[MetricSpec, BeforeValidator(_metric_as_spec, json_schema_input_type=MetricName | MetricSpec)]


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


# For editors: a dict with a spec's keys is one spec.
_OUTPUT_NAMES = Field(min_length=1, json_schema_extra={"propertyNames": {"not": {"enum": list(_SPEC_KEYS)}}})
LossesByOutput = Annotated[dict[str, Loss], _OUTPUT_NAMES]
MetricsByOutput = Annotated[dict[str, Metrics], _OUTPUT_NAMES]


class LossForms(Part):
    """Losses in order (one for all outputs, or one for each), or by the name of the output."""

    in_order: Losses | None = None
    by_output: LossesByOutput | None = None


class MetricForms(Part):
    """Metrics for every output, for each output in order, or by the name of the output."""

    every_output: list[Metric] | None = None
    in_order: list[Metrics] | None = None
    by_output: MetricsByOutput | None = None


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
    BeforeValidator(_sort_losses, json_schema_input_type=Loss | Losses | LossesByOutput),
]
AnyMetrics = Annotated[
    MetricForms,
    BeforeValidator(_sort_metrics, json_schema_input_type=Metric | list[Metric | list[Metric]] | MetricsByOutput),
]
