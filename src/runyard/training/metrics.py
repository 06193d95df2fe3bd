"""Metrics from their specs, each at its output, under the names that logs and monitors use."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from runyard.bridge import KerasVersion, averaging_in_replicas, is_metric, keras_module
from runyard.config import MetricSpec
from runyard.config.known_names import Kind, find
from runyard.config.written_forms import MetricForms
from runyard.errors import ModelError
from runyard.training.accuracy import accuracy_class
from runyard.training.collected_metrics import collected_metric
from runyard.training.constructors import construct, constructing
from runyard.training.fast_auc import fast_if_possible
from runyard.training.outputs import OutputLayout
from runyard.training.own_metrics import OWN_METRICS

Factory = Callable[[MetricSpec], object]


@dataclass(frozen=True)
class OutputMetric:
    """A metric that is fed with one output, with or without the weights of the rows."""

    name: str
    position: int
    spec: MetricSpec
    weighted: bool


def place_metrics(
    plain: MetricForms | None, weighted: MetricForms | None, *, layout: OutputLayout
) -> list[OutputMetric]:
    """Which metric goes to which output, and its name: `auc`, or `<output>_auc` when there are several outputs.

    Raises:
        ModelError: if metrics are given for outputs that do not exist, or two would have one name.
    """
    placed: list[OutputMetric] = []
    for forms, is_weighted in ((plain, False), (weighted, True)):
        for position, (output, specs) in enumerate(zip(layout.names, _per_output(forms, layout=layout), strict=True)):
            for spec in specs:
                name = spec.name if layout.single else f"{output}_{spec.name}"
                placed.append(OutputMetric(name, position, spec, is_weighted))
    names = [metric.name for metric in placed]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ModelError(f"several metrics are called {', '.join(twice)}", hint='give one of them a "name" in its args')
    return placed


def _per_output(forms: MetricForms | None, *, layout: OutputLayout) -> list[Sequence[MetricSpec]]:
    count = len(layout.names)
    if forms is None:
        return [()] * count
    if forms.every_output is not None:
        return [forms.every_output] * count
    if forms.in_order is not None:
        if len(forms.in_order) > count:
            raise ModelError(f"metrics are given for {len(forms.in_order)} outputs, there are {list(layout.names)}")
        return [*forms.in_order, *[()] * (count - len(forms.in_order))]
    by_output = forms.by_output or {}
    unknown = [name for name in by_output if name not in layout.names]
    if unknown:
        raise ModelError(f"metrics name the outputs {unknown}, but the outputs are {list(layout.names)}")
    return [by_output.get(name, ()) for name in layout.names]


def build_metric(metric: OutputMetric, *, label: Any, output: Any, keras: KerasVersion, factory: Factory) -> Any:
    """A Keras metric. The label and the output decide what `accuracy` means.

    Raises:
        ModelError: if that Keras has no such metric, or it refuses its arguments.
    """
    spec = metric.spec
    known = find(Kind.METRIC, spec.type)
    if known is None:
        return _as_metric(factory(spec), name=metric.name, keras=keras)
    collected = collected_metric(known.class_name, name=metric.name, args=spec.args)
    if collected is not None:
        return collected
    arguments = {**spec.args, "name": metric.name}
    if known.own:
        with constructing(known, arguments=spec.args):
            return OWN_METRICS[known.class_name](keras, **arguments)
    if known.class_name == "Accuracy":
        with constructing(known, arguments=spec.args):
            return getattr(keras_module(keras).metrics, accuracy_class(label, output))(**arguments)
    if isinstance(arguments.get("thresholds"), int | float) and known.class_name == "AUC":
        arguments["thresholds"] = [arguments["thresholds"]]
    made = construct(known, namespace="metrics", keras=keras, arguments=arguments)
    return fast_if_possible(made, label=label, output=output) if known.class_name == "AUC" else made


def _as_metric(made: object, *, name: str, keras: KerasVersion) -> Any:
    """What a user's factory returned: a metric of either Keras, or a function of y_true and y_pred to average."""
    if is_metric(made):
        return made
    if not callable(made) or isinstance(made, type):
        returned = f"the class {made.__name__}" if isinstance(made, type) else type(made).__name__
        raise ModelError(f"the metric factory {name} returned {returned}, expected a Keras metric or a function")
    return keras_module(keras).metrics.MeanMetricWrapper(averaging_in_replicas(made), name=name)
