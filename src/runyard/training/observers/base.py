"""Observers: they are told what happens in a run, and may ask it to stop."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from runyard.training.boundaries import Boundary


class Run(Protocol):
    """What an observer may see and do."""

    @property
    def model(self) -> Any:
        """The training model."""
        ...

    @property
    def epoch(self) -> int:
        """The epoch that is running, from 0."""
        ...

    @property
    def step(self) -> int:
        """Batches trained since the start of the run."""
        ...

    @property
    def batch(self) -> int:
        """Batches trained in this epoch."""
        ...

    @property
    def is_chief(self) -> bool:
        """Whether this process writes for all. With several workers each has observers of its own."""
        ...

    def results(self) -> dict[str, Any]:
        """Losses and metrics of the epoch so far; with several workers, the metrics of this one's rows."""
        ...

    def use_results(self, results: Mapping[str, Any]) -> None:
        """Says which results belong to the weights that the training ends with."""
        ...

    def request_stop(self, reason: str) -> None:
        """Ends the training after this epoch, or after this call when called from `on_steps`."""
        ...


ROWS = "rows"
"""The results of an epoch hold the number of its training rows under this name, beside losses and metrics."""


def without_rows(results: Mapping[str, Any]) -> dict[str, Any]:
    """The losses and metrics among the results of an epoch."""
    return {name: value for name, value in results.items() if name != ROWS}


class Observer:
    """Does nothing at each event. Subclasses override what they need."""

    boundaries: Sequence[Boundary] = ()
    """Steps at which it wants to be called exactly."""

    def on_train_begin(self, run: Run) -> None:
        """Before the first step, or the first after a resume."""

    def on_steps(self, run: Run, *, steps: int, seconds: float) -> None:
        """After each call of one or many steps."""

    def on_validation(self, run: Run, results: Mapping[str, Any]) -> None:
        """After the validation of an epoch."""

    def on_epoch_end(self, run: Run, results: Mapping[str, Any]) -> None:
        """After an epoch and its validation; `results` holds both, and the number of rows under `ROWS`."""

    def on_checkpoint(self, run: Run, path: str) -> None:
        """After a checkpoint has been published."""

    def on_train_end(self, run: Run) -> None:
        """After the last step, before the model is saved. Not called after a failure."""

    def tensors(self) -> Mapping[str, Any]:
        """What a checkpoint must hold of it."""
        return {}

    def values(self) -> Mapping[str, Any]:
        return {}

    def restore(self, tensors: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        """Goes back to the state of a checkpoint."""
