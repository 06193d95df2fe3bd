"""All metrics of one model on one kind of data: fed together, read together."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from runyard.bridge import KerasVersion, autograph_on, metric_variables
from runyard.checkpoint.state import Snapshot
from runyard.checkpoint.transport import as_bytes, from_bytes
from runyard.config import MetricSpec
from runyard.config.written_forms import MetricForms
from runyard.data.elements import Element
from runyard.errors import DataError, ModelError
from runyard.telemetry import note
from runyard.training.alignment import align
from runyard.training.collected import CollectedMetric
from runyard.training.metrics import Factory, OutputMetric, build_metric, place_metrics
from runyard.training.outputs import OutputLayout
from runyard.training.workers import Workers


@dataclass(frozen=True)
class _Entry:
    placed: OutputMetric
    metric: Any


class MetricBoard:
    """Metrics by name. `update` works inside a `tf.function`."""

    def __init__(self, entries: Sequence[_Entry], *, layout: OutputLayout, keras: KerasVersion) -> None:
        self._entries = entries
        self.layout = layout
        self._keras: KerasVersion = keras

    @property
    def names(self) -> list[str]:
        return [entry.placed.name for entry in self._entries]

    @property
    def specs(self) -> Mapping[str, MetricSpec]:
        """What each metric was made from, by its name."""
        return {entry.placed.name: entry.placed.spec for entry in self._entries}

    def update(self, element: Element, outputs: Any) -> None:
        """Feeds a batch as Keras `fit` does: plain metrics without weights, weighted ones with them."""
        labels = self.layout.spread(element.labels, what="labels")
        weights = self.layout.spread(element.weights, what="weights")
        flat = self.layout.flatten(outputs)
        for entry in self._entries:
            position = entry.placed.position
            label, output = _label_of(entry.placed, labels), flat[position]
            weight = weights[position] if entry.placed.weighted else None
            label, weight = align(label, output, weight, keras=self._keras)
            if isinstance(entry.metric, CollectedMetric):
                entry.metric.update(element.inputs, label=label, output=output, weight=weight)
            else:
                with _blaming(entry), autograph_on():
                    entry.metric.update_state(label, output, sample_weight=weight)

    def gather_at(self, device: str) -> None:
        """Where the rows of metrics over whole rows are gathered: in this process, wherever a step is computed."""
        for entry in self._entries:
            if isinstance(entry.metric, CollectedMetric):
                entry.metric.gather_at = device

    def results(self) -> dict[str, Any]:
        """Numbers, or lists of numbers for metrics with several values.

        Raises:
            DataError: if a metric cannot use the rows.
            ModelError: if a metric of the user's has another kind of value.
        """
        return {entry.placed.name: _result(entry) for entry in self._entries}

    def results_of_all(self, workers: Workers) -> dict[str, Any]:
        """The results over the rows of all workers. What this one has counted by itself stays as it is."""
        if workers.size == 1:
            return self.results()
        own = self.tensors()
        gathered = [from_bytes(data).tensors for data in workers.gather(as_bytes(Snapshot(own)))]
        self.restore(self._together(gathered), {})
        try:
            return self.results()
        finally:
            self.restore(own, {})

    def _together(self, gathered: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The states of several boards as one: sums are added, rows are put one after the other."""
        found: dict[str, Any] = {}
        for entry in self._entries:
            prefix = f"{entry.placed.name}/"
            for name in dict.fromkeys(name for each in gathered for name in each if name.startswith(prefix)):
                columns = [each[name] for each in gathered if name in each]
                rows = isinstance(entry.metric, CollectedMetric)
                found[name] = tf.concat(columns, 0) if rows else _sum(columns)
        return found

    def apart(self) -> "RowsApart":
        """For the checkpoint of rows that are counted here as well, but have a checkpoint of their own."""
        return RowsApart(self)

    def add(self, tensors: Mapping[str, Any]) -> None:
        """Takes in what another board has counted."""
        self.restore(self._together([self.tensors(), tensors]), {})

    def nothing(self) -> Mapping[str, Any]:
        """The state of a board that has counted nothing: of sums, as zeros."""
        gathering = [entry.placed.name for entry in self._entries if isinstance(entry.metric, CollectedMetric)]
        prefixes = tuple(f"{name}/" for name in gathering)
        found = self.tensors()
        return {name: tf.zeros_like(each) for name, each in found.items() if not name.startswith(prefixes)}

    def reset(self) -> None:
        for entry in self._entries:
            entry.metric.reset_state()

    def tensors(self) -> Mapping[str, Any]:
        """The state of every metric, for checkpoints."""
        found: dict[str, Any] = {}
        for entry in self._entries:
            if isinstance(entry.metric, CollectedMetric):
                columns = entry.metric.columns()
            else:
                columns = [variable.read_value() for variable in metric_variables(entry.metric)]
            found.update({f"{entry.placed.name}/{number:03d}": column for number, column in enumerate(columns)})
        return found

    def values(self) -> Mapping[str, Any]:
        return {}

    def restore(self, tensors: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        for entry in self._entries:
            prefix = f"{entry.placed.name}/"
            columns = [tensors[name] for name in sorted(tensors) if name.startswith(prefix)]
            if isinstance(entry.metric, CollectedMetric):
                entry.metric.load_columns(columns)
                continue
            variables = metric_variables(entry.metric)
            if [variable.shape for variable in variables] != [value.shape for value in columns]:
                note(f"the checkpoint holds no state of the metric {entry.placed.name}: it starts anew")
                continue
            for variable, value in zip(variables, columns, strict=True):
                variable.assign(value)


@dataclass(frozen=True)
class RowsApart:
    """The share of a board that one of several shards of a process has: the first shard has all of it, the others none.

    When a checkpoint is read, each may have something: what another process has counted before.
    """

    board: MetricBoard

    def tensors(self) -> Mapping[str, Any]:
        return self.board.nothing()

    def values(self) -> Mapping[str, Any]:
        return {}

    def restore(self, tensors: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        self.board.add(tensors)


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
    entries: list[_Entry] = []
    for placed in place_metrics(plain, weighted, layout=layout):
        label, output = _label_of(placed, spread), flat[placed.position]
        metric = build_metric(placed, label=label, output=output, keras=keras, factory=factory)
        entries.append(_Entry(placed, metric))
    return MetricBoard(entries, layout=layout, keras=keras)


def _label_of(placed: OutputMetric, labels: Sequence[Any]) -> Any:
    label = labels[placed.position]
    if label is None:
        raise DataError(f"metric {placed.name!r} needs labels, and its output has none")
    return label


def _result(entry: _Entry) -> Any:
    with _blaming(entry):
        value = entry.metric.result()
        if isinstance(value, Mapping | str | bytes) or value is None:
            raise ModelError(
                f"metric {entry.placed.name!r} has a {type(value).__name__} as its result, "
                "expected a number or a tensor of numbers",
                hint="make a metric of each value",
            )
        array = np.asarray(value)
        return float(array) if array.ndim == 0 else array.tolist()


@contextlib.contextmanager
def _blaming(entry: _Entry) -> Iterator[None]:
    """Whatever goes wrong within, it says in which metric."""
    try:
        yield
    except Exception as error:
        error.add_note(f"in the metric {entry.placed.name!r}")
        raise


def _sum(tensors: Sequence[Any]) -> Any:
    """Exact for counts, and rounded once for the rest."""
    total = np.sum([np.asarray(tensor, np.float64) for tensor in tensors], axis=0)
    return tf.cast(total, tensors[0].dtype)
