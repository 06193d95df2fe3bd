"""All metrics of one model on one kind of data: fed together, read together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from runyard.bridge import KerasVersion
from runyard.config.written_forms import MetricForms
from runyard.data.elements import Element
from runyard.errors import DataError
from runyard.training.alignment import align
from runyard.training.collected import CollectedMetric
from runyard.training.metrics import Factory, OutputMetric, build_metric, place_metrics
from runyard.training.outputs import OutputLayout


@dataclass(frozen=True)
class _Entry:
    placed: OutputMetric
    metric: Any
    weighted: bool


class MetricBoard:
    """Metrics by name. `update` works inside a `tf.function`."""

    def __init__(self, entries: Sequence[_Entry], *, layout: OutputLayout) -> None:
        self._entries = entries
        self._layout = layout

    @property
    def names(self) -> list[str]:
        return [entry.placed.name for entry in self._entries]

    def update(self, element: Element, outputs: Any) -> None:
        """Feeds a batch as Keras `fit` does: plain metrics without weights, weighted ones with them."""
        labels = self._layout.spread(element.labels, what="labels")
        weights = self._layout.spread(element.weights, what="weights")
        flat = self._layout.flatten(outputs)
        for entry in self._entries:
            position = entry.placed.position
            if labels[position] is None:
                raise DataError(f"metric {entry.placed.name!r} needs labels, and its output has none")
            label, weight = align(labels[position], flat[position], weights[position] if entry.weighted else None)
            if isinstance(entry.metric, CollectedMetric):
                entry.metric.update(element.inputs, label=label, output=flat[position], weight=weight)
            else:
                entry.metric.update_state(label, flat[position], sample_weight=weight)

    def results(self) -> dict[str, Any]:
        """Numbers, or lists of numbers for metrics with several values."""
        return {entry.placed.name: _plain(entry.metric.result()) for entry in self._entries}

    def reset(self) -> None:
        for entry in self._entries:
            entry.metric.reset_state()


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
        ModelError: if metrics do not fit the outputs.
    """
    placed = [(metric, False) for metric in place_metrics(plain, layout=layout)]
    placed += [(metric, True) for metric in place_metrics(weighted, layout=layout)]
    spread, flat = layout.spread(labels, what="labels"), layout.flatten(outputs)
    entries = [
        _Entry(
            metric,
            build_metric(
                metric, label=spread[metric.position], output=flat[metric.position], keras=keras, factory=factory
            ),
            weighted=is_weighted,
        )
        for metric, is_weighted in placed
    ]
    return MetricBoard(entries, layout=layout)


def _plain(value: Any) -> Any:
    array = np.asarray(value)
    return float(array) if array.ndim == 0 else array.tolist()
