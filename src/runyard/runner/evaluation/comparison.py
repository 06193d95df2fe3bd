"""What an evaluation found: models side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runyard.errors import RunyardError
from runyard.runner.evaluation.directions import Direction


@dataclass(frozen=True)
class DatasetResult:
    """One model on one dataset.

    Args:
        key: of the dataset; empty for the only one.
        samples: how many rows there were.
        seconds: how long it took.
        metrics: losses and metrics, by their names without the dataset.
    """

    key: str
    samples: int
    seconds: float
    metrics: Mapping[str, Any]

    def full_name(self, metric: str) -> str:
        """Of a metric on this dataset, among several."""
        return f"{metric}({self.key})" if self.key else metric


@dataclass(frozen=True)
class EvaluatedModel:
    """A model with its results on every dataset."""

    name: str
    path: Path
    datasets: Sequence[DatasetResult]

    @property
    def metrics(self) -> dict[str, Any]:
        """`auc`, or `auc(0)` for each of several datasets."""
        return {result.full_name(name): value for result in self.datasets for name, value in result.metrics.items()}


@dataclass(frozen=True)
class FailedModel:
    """A model that could not be loaded, or does not fit the data."""

    name: str
    path: Path
    error: RunyardError


@dataclass(frozen=True)
class Comparison:
    """All models of an evaluation, in the order of the job.

    Args:
        baseline: name of the model that the others are compared with; None if that one was not evaluated.
        directions: which values of a metric are better, for those of which it is known.
    """

    models: Sequence[EvaluatedModel]
    failed: Sequence[FailedModel] = ()
    baseline: str | None = None
    directions: Mapping[str, Direction] | None = None

    @property
    def metric_names(self) -> list[str]:
        return list(dict.fromkeys(name for model in self.models for name in model.metrics))

    @property
    def exit_code(self) -> int:
        return self.failed[0].error.exit_code if self.failed else 0

    def direction(self, name: str) -> Direction | None:
        """Of a metric under its full name."""
        results = [result for model in self.models for result in model.datasets]
        metrics = {result.full_name(metric): metric for result in results for metric in result.metrics}
        return (self.directions or {}).get(metrics[name])
