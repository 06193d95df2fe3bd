"""Ends a training that gets no better."""

from collections.abc import Mapping
from typing import Any

from moxing.tensorflow.executor.hooks.aggregative import attached
from moxing.tensorflow.executor.hooks.watched_metric import WatchedMetricHook
from moxing.tensorflow.executor.hooks.watching import Best, EarlyStop, larger_is_better
from runyard.telemetry import say


class EarlyStoppingHook(WatchedMetricHook):
    """Stops when a metric of the validation set has not improved for a while. Needs `inter_mode` in `mox.run`.

    The first evaluation has nothing to compare with, so `patience=3` stops after the fourth at the earliest. The best
    value and the count are part of the checkpoint: a run that was killed goes on with them.

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
        larger = larger_is_better(monitor, mode=mode)
        self._patience = patience
        self._early_stop = EarlyStop(Best(larger=larger, min_delta=min_delta), patience=patience)
        super().__init__(
            monitor_info,
            batch_size,
            samples_in_train,
            samples_in_eval,
            evaluate_every_n_epochs,
            monitor=monitor,
            judge=self._early_stop,
            larger=larger,
            prefix=prefix,
        )

    def judged(self, value: float, run_context: Any) -> None:
        if self._early_stop.should_stop(value):
            times = "once" if self._patience <= 1 else f"{self._patience} times in a row"
            say(f"training ends after step {attached(self).step}: {self._monitor} has not improved {times}")
            run_context.request_stop()
