"""A run that a test drives by hand."""

from typing import Any


class ScriptedRun:
    def __init__(self, model: Any = None, *, results: dict[str, Any] | None = None) -> None:
        self.model = model
        self.epoch = 0
        self.step = 0
        self.batch = 0
        self.reads = 0
        self.stop_reason: str | None = None
        self._results = results or {"loss": 0.5, "auc": 0.75}

    def results(self) -> dict[str, Any]:
        self.reads += 1
        return {**self._results, "step": float(self.step)}

    def request_stop(self, reason: str) -> None:
        self.stop_reason = reason

    def train(self, observer: Any, *, steps: int = 1, seconds: float = 0.1) -> None:
        self.step += steps
        self.batch += steps
        observer.on_steps(self, steps=steps, seconds=seconds)

    def end_epoch(self, observer: Any, **results: Any) -> None:
        observer.on_epoch_end(self, results)
        self.epoch += 1
        self.batch = 0
