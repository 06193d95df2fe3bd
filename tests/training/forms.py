"""Specs as a job file writes them, read without a job file."""

from typing import Any

from pydantic import TypeAdapter

from runyard.bridge import KerasVersion
from runyard.config import LossSpec, MetricSpec, OptimizerSpec
from runyard.config.known_names import Kind, find, names
from runyard.config.specs import FACTORIES
from runyard.config.written_forms import AnyLosses, AnyMetrics, LossForms, MetricForms
from runyard.training.outputs import OutputLayout

ONE_OUTPUT = OutputLayout(names=("output_1",), keys=(None,))
TWO_OUTPUTS = OutputLayout(names=("click", "buy"), keys=(0, 1))
BY_KEY = OutputLayout(names=("buy", "click"), keys=("buy", "click"))

_ANY_NAME = {FACTORIES: None}


def loss_forms(written: Any) -> LossForms:
    return TypeAdapter(AnyLosses).validate_python(written, context=_ANY_NAME)


def metric_forms(written: Any) -> MetricForms:
    return TypeAdapter(AnyMetrics).validate_python(written, context=_ANY_NAME)


def optimizer_spec(name: str, **args: Any) -> OptimizerSpec:
    return OptimizerSpec.model_validate({"type": name, "args": args})


def no_factory(spec: LossSpec | MetricSpec) -> object:
    raise AssertionError(f"{spec.type} is no known name")


def named_for(kind: Kind) -> list[tuple[str, KerasVersion]]:
    """Every name of a kind with every Keras version that has it."""
    return [(name, version) for name in names(kind) for version in (2, 3) if version in _known(kind, name).keras]


def _known(kind: Kind, name: str) -> Any:
    known = find(kind, name)
    assert known is not None
    return known
