"""Ends a training that gets no better."""

from collections.abc import Mapping
from typing import Any

from moxing.tensorflow.executor.failures import WrongValue
from moxing.tensorflow.executor.hooks.aggregative import attached
from moxing.tensorflow.executor.hooks.log_metric import LogEvaluationMetricHook
from moxing.tensorflow.executor.hooks.watching import Best, EarlyStop, larger_is_better
from runyard.telemetry import say


class EarlyStoppingHook(LogEvaluationMetricHook):
    """Stops when a metric of the validation set has not improved for a while. Needs `inter_mode` in `mox.run`.

    The first evaluation has nothing to compare with, so `patience=3` stops after the fourth at the earliest. A run that
    was killed and goes on compares anew.

    Args:
        monitor: the name in `monitor_info` to look at.
        min_delta: an improvement by less is none.
        patience: evaluations in a row without an improvement.
        mode: min, max, or auto: max for accuracies and their like, by the metric's name.

    Raises:
        WrongValue: a ValueError, if `monitor` is not in `monitor_info`.
    """

    def __init__(
        self,
        monitor_info: Mapping[str, Any],
        monitor: str,
        batch_size: int,
        samples_in_train: int,
        samples_in_eval: int,
        evaluate_every_n_epochs: float = 1,
        min_delta: float = 0.0,
        patience: int = 0,
        prefix: str = "[EarlyStopping]",
        mode: str = "auto",
    ) -> None:
        super().__init__(
            monitor_info, batch_size, samples_in_train, samples_in_eval, evaluate_every_n_epochs, prefix=prefix
        )
        self._monitor, self._patience = monitored(monitor, monitor_info), patience
        best = Best(larger=larger_is_better(monitor, mode=mode), min_delta=min_delta)
        self._early_stop = EarlyStop(best, patience=patience)

    def evaluated(self, values: Mapping[str, float], run_context: Any) -> None:
        if self._early_stop.should_stop(values[self._monitor]):
            times = "once" if self._patience <= 1 else f"{self._patience} times in a row"
            say(f"training ends after step {attached(self).step}: {self._monitor} has not improved {times}")
            run_context.request_stop()


def monitored(monitor: str, monitor_info: Mapping[str, Any]) -> str:
    """The name of what is looked at, which there must be."""
    if monitor not in monitor_info:
        known = ", ".join(monitor_info)
        raise WrongValue(f"monitor={monitor!r} is not in monitor_info", hint=f"there are: {known}")
    return monitor
