"""Early stopping, with the weights of the best epoch."""

from collections.abc import Mapping, Sequence
from typing import Any

from runyard.config.plugins import EarlyStopping
from runyard.telemetry import say
from runyard.training.observers.base import Observer, Run, without_rows
from runyard.training.stopping import StoppingRule, Verdict


class EarlyStoppingObserver(Observer):
    """Stops a run, and puts the best weights back at its end.

    Args:
        weights: the model's variables.
        validated: the variables whose values validation sees: the same, or their moving averages.
    """

    def __init__(self, config: EarlyStopping, *, weights: Sequence[Any], validated: Sequence[Any]) -> None:
        self._config = config
        self._rule = StoppingRule(config)
        self._weights = list(weights)
        self._validated = list(validated)
        self._best: list[Any] | None = None
        self._best_results: dict[str, Any] = {}

    def on_epoch_end(self, run: Run, results: Mapping[str, Any]) -> None:
        value = results.get(self._config.monitor)
        if value is None:
            return
        verdict = self._rule.judge(float(value), epoch=run.epoch)
        if self._config.restore_best_weights and verdict is Verdict.BETTER:
            self._best = [variable.read_value() for variable in self._validated]
            self._best_results = without_rows(results)
        if verdict is Verdict.STOP:
            waited, best = self._rule.waited, self._best_value
            run.request_stop(f"{self._config.monitor} has not become better for {waited} epochs (best: {best})")

    @property
    def _best_value(self) -> str:
        if self._rule.best is None or self._rule.best_epoch is None:
            return "none"
        return f"{self._rule.best:.6g} in epoch {self._rule.best_epoch + 1}"

    def on_train_end(self, run: Run) -> None:
        if self._best is None:
            return
        for variable, value in zip(self._weights, self._best, strict=True):
            variable.assign(value)
        run.use_results(self._best_results)
        if self._rule.best_epoch is not None:
            say(f"The weights are those of epoch {self._rule.best_epoch + 1}, the best by {self._config.monitor}.")

    def tensors(self) -> Mapping[str, Any]:
        return {f"{place:05d}": value for place, value in enumerate(self._best or [])}

    def values(self) -> Mapping[str, Any]:
        return {**self._rule.values(), "results": self._best_results}

    def restore(self, tensors: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        self._rule.load_values(dict(values))
        self._best_results = dict(values["results"])
        self._best = [tensors[name] for name in sorted(tensors)] or None
