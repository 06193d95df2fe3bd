"""How far a training has come: what observers see of it, and what a checkpoint must bring back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runyard.data.position import DataPosition
from runyard.data.positions import DataPositions
from runyard.data.positions_elsewhere import PositionsElsewhere
from runyard.training.engine import Engine
from runyard.training.limits import Limits
from runyard.training.workers import is_chief

TrainingData = DataPosition | DataPositions | PositionsElsewhere
"""The training set, and where in it the run is."""


@dataclass(frozen=True)
class Outcome:
    """How a training ended."""

    epochs: int
    step: int
    results: Mapping[str, Any]
    reason: str
    stopped_early: bool


class RunState:
    """A training as its observers see it (`observers.base.Run`), and a part of every checkpoint of it."""

    def __init__(self, engine: Engine, *, data: TrainingData, limits: Limits) -> None:
        self._engine = engine
        self._data = data
        self.limits = limits
        self.step = 0
        self.stop_reason: str | None = None
        self.last_results: dict[str, Any] = {}
        """Losses and metrics of the weights that the training would end with now."""

    @property
    def model(self) -> Any:
        return self._engine.model

    @property
    def epoch(self) -> int:
        return self._data.epoch

    @property
    def batch(self) -> int:
        return self._data.batches

    @property
    def is_chief(self) -> bool:
        return is_chief(self._engine.workers)

    @property
    def end_reason(self) -> str | None:
        """Why the training is over; None while it is not."""
        if self.stop_reason is not None:
            return self.stop_reason
        return self.limits.reached(epochs=self.epoch, step=self.step)

    def outcome(self) -> Outcome:
        """How the training has ended; called once `end_reason` is known."""
        return Outcome(
            epochs=self.epoch,
            step=self.step,
            results=self.last_results,
            reason=self.end_reason or "",
            stopped_early=self.stop_reason is not None,
        )

    def results(self) -> dict[str, Any]:
        return self._engine.results()

    def use_results(self, results: Mapping[str, Any]) -> None:
        self.last_results = dict(results)

    def request_stop(self, reason: str) -> None:
        self.stop_reason = self.stop_reason or reason

    def tensors(self) -> Mapping[str, Any]:
        return {}

    def values(self) -> Mapping[str, Any]:
        return {"step": self.step, "stop_reason": self.stop_reason, "results": self.last_results}

    def restore(self, tensors: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        self.step = int(values["step"])
        self.stop_reason = values["stop_reason"]
        self.last_results = dict(values["results"])
