"""All metrics of one model on one kind of data: fed together, read together."""

from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow as tf

from runyard.bridge import KerasVersion
from runyard.checkpoint.state import Snapshot
from runyard.checkpoint.transport import as_bytes, from_bytes
from runyard.config import MetricSpec
from runyard.config.written_forms import MetricForms
from runyard.data.elements import Element
from runyard.errors import DataError
from runyard.training.alignment import align
from runyard.training.collected import CollectedMetric
from runyard.training.fed_metric import FedMetric
from runyard.training.metrics import Factory, OutputMetric, build_metric, place_metrics
from runyard.training.outputs import OutputLayout
from runyard.training.workers import Workers


class MetricBoard:
    """Metrics by name. `update` works inside a `tf.function`."""

    def __init__(self, metrics: Sequence[FedMetric], *, layout: OutputLayout, keras: KerasVersion) -> None:
        self._metrics = metrics
        self.layout = layout
        self._keras: KerasVersion = keras

    @property
    def names(self) -> list[str]:
        return [metric.name for metric in self._metrics]

    @property
    def specs(self) -> Mapping[str, MetricSpec]:
        """What each metric was made from, by its name."""
        return {metric.name: metric.placed.spec for metric in self._metrics}

    def update(self, element: Element, outputs: Any) -> None:
        """Feeds a batch as Keras `fit` does: plain metrics without weights, weighted ones with them."""
        labels = self.layout.spread(element.labels, what="labels")
        weights = self.layout.spread(element.weights, what="weights")
        flat = self.layout.flatten(outputs)
        for metric in self._metrics:
            position = metric.placed.position
            label, output = _label_of(metric.placed, labels), flat[position]
            weight = weights[position] if metric.placed.weighted else None
            label, weight = align(label, output, weight, keras=self._keras)
            metric.update(element.inputs, label=label, output=output, weight=weight)

    def gather_at(self, device: str) -> None:
        """Where the rows of metrics over whole rows are gathered: in this process, wherever a step is computed."""
        for each in self._metrics:
            if isinstance(each.metric, CollectedMetric):
                each.metric.gather_at = device

    def results(self) -> dict[str, Any]:
        """Numbers, or lists of numbers for metrics with several values.

        Raises:
            DataError: if a metric cannot use the rows.
            ModelError: if a metric of the user's has another kind of value.
        """
        return {metric.name: metric.result() for metric in self._metrics}

    def results_of_all(self, workers: Workers) -> dict[str, Any]:
        """The results over the rows of all workers. What this one has counted by itself stays as it is."""
        if workers.size == 1:
            return self.results()
        own = self.tensors()
        gathered = [from_bytes(data).tensors for data in workers.gather(as_bytes(Snapshot(own)))]
        self.restore(self._merged(gathered), {})
        try:
            return self.results()
        finally:
            self.restore(own, {})

    def reset(self) -> None:
        for each in self._metrics:
            each.metric.reset_state()

    def tensors(self) -> Mapping[str, Any]:
        """The state of every metric, for checkpoints."""
        return {
            f"{_prefix(metric)}{number:03d}": tensor
            for metric in self._metrics
            for number, tensor in enumerate(metric.state())
        }

    def values(self) -> Mapping[str, Any]:
        return {}

    def restore(self, tensors: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        for metric in self._metrics:
            metric.load_state([tensors[name] for name in sorted(tensors) if name.startswith(_prefix(metric))])

    def add(self, tensors: Mapping[str, Any]) -> None:
        """Takes in what another board has counted."""
        self.restore(self._merged([self.tensors(), tensors]), {})

    def nothing(self) -> Mapping[str, Any]:
        """The state of a board that has counted nothing: sums of zero, and no rows."""
        rows = tuple(_prefix(metric) for metric in self._metrics if metric.gathers_rows)
        return {name: tf.zeros_like(each) for name, each in self.tensors().items() if not name.startswith(rows)}

    def _merged(self, boards: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The states of several boards as one."""
        found: dict[str, Any] = {}
        for metric in self._metrics:
            for name in dict.fromkeys(name for each in boards for name in each if name.startswith(_prefix(metric))):
                found[name] = metric.merged([each[name] for each in boards if name in each])
        return found


def build_board(
    plain: MetricForms | None,
    weighted: MetricForms | None,
    *,
    layout: OutputLayout,
    labels: Any,
    outputs: Any,
    keras: KerasVersion,
    factory: Factory,
) -> MetricBoard:
    """Builds the metrics for the labels and outputs at hand, which may be symbolic.

    Raises:
        ModelError: if metrics do not fit the outputs, or two would have one name.
        DataError: if an output has metrics but no labels.
    """
    spread, flat = layout.spread(labels, what="labels"), layout.flatten(outputs)
    metrics: list[FedMetric] = []
    for placed in place_metrics(plain, weighted, layout=layout):
        label, output = _label_of(placed, spread), flat[placed.position]
        metric = build_metric(placed, label=label, output=output, keras=keras, factory=factory)
        metrics.append(FedMetric(placed, metric))
    return MetricBoard(metrics, layout=layout, keras=keras)


def _label_of(placed: OutputMetric, labels: Sequence[Any]) -> Any:
    label = labels[placed.position]
    if label is None:
        raise DataError(f"metric {placed.name!r} needs labels, and its output has none")
    return label


def _prefix(metric: FedMetric) -> str:
    """With which the names of its tensors begin."""
    return f"{metric.name}/"
