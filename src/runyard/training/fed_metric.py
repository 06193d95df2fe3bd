"""One metric while a model runs: how it is fed and read, and how its state is kept, merged and brought back.

Most metrics are Keras's and sum up what they see in variables. Some need whole rows (`collected`), which they gather.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from runyard.bridge import autograph_on, metric_variables
from runyard.errors import ModelError
from runyard.telemetry import note
from runyard.training.collected import CollectedMetric
from runyard.training.metrics import OutputMetric


@dataclass(frozen=True)
class FedMetric:
    """A metric and the output that it is fed with."""

    placed: OutputMetric
    metric: Any

    @property
    def name(self) -> str:
        return self.placed.name

    @property
    def gathers_rows(self) -> bool:
        """Whether its state is rows rather than sums."""
        return isinstance(self.metric, CollectedMetric)

    def update(self, inputs: Any, *, label: Any, output: Any, weight: Any) -> None:
        """Feeds a batch; inside a `tf.function`."""
        if isinstance(self.metric, CollectedMetric):
            self.metric.update(inputs, label=label, output=output, weight=weight)
        else:
            with self._named_in_errors(), autograph_on():
                self.metric.update_state(label, output, sample_weight=weight)

    def result(self) -> Any:
        """A number, or a list of numbers for a metric with several values.

        Raises:
            DataError: if it cannot use the rows.
            ModelError: if it is the user's and has another kind of value.
        """
        with self._named_in_errors():
            value = self.metric.result()
            if isinstance(value, Mapping | str | bytes) or value is None:
                raise ModelError(
                    f"metric {self.name!r} has a {type(value).__name__} as its result, "
                    "expected a number or a tensor of numbers",
                    hint="make a metric of each value",
                )
            array = np.asarray(value)
            return float(array) if array.ndim == 0 else array.tolist()

    def state(self) -> list[Any]:
        """All that it has seen, as tensors."""
        if isinstance(self.metric, CollectedMetric):
            return self.metric.columns()
        return [variable.read_value() for variable in metric_variables(self.metric)]

    def load_state(self, state: Sequence[Any]) -> None:
        if isinstance(self.metric, CollectedMetric):
            self.metric.load_columns(state)
            return
        variables = metric_variables(self.metric)
        if [variable.shape for variable in variables] != [value.shape for value in state]:
            note(f"the checkpoint holds no state of the metric {self.name}: it starts anew")
            return
        for variable, value in zip(variables, state, strict=True):
            variable.assign(value)

    def merged(self, tensors: Sequence[Any]) -> Any:
        """One tensor of the state out of those of several workers: rows one after the other, sums added."""
        return tf.concat(tensors, 0) if self.gathers_rows else _sum(tensors)

    @contextlib.contextmanager
    def _named_in_errors(self) -> Iterator[None]:
        """Whatever goes wrong within, it says in which metric."""
        try:
            yield
        except Exception as error:
            error.add_note(f"in the metric {self.name!r}")
            raise


def _sum(tensors: Sequence[Any]) -> Any:
    """Exact for counts, and rounded once for the rest."""
    total = np.sum([np.asarray(tensor, np.float64) for tensor in tensors], axis=0)
    return tf.cast(total, tensors[0].dtype)
