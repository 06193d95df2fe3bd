"""Lowers the learning rate of a training that gets no better, and ends it if that does not help."""

from collections.abc import Mapping
from typing import Any

from moxing.tensorflow.executor.failures import WrongValue
from moxing.tensorflow.executor.hooks.aggregative import attached
from moxing.tensorflow.executor.hooks.watched_metric import WatchedMetricHook
from moxing.tensorflow.executor.hooks.watching import Best, Decision, Plateau, larger_is_better
from moxing.tensorflow.executor.step_scale import step_scale
from runyard.telemetry import say


class PlateauLREarlyStoppingHook(WatchedMetricHook):
    """Makes the optimizer's steps smaller on a plateau. Needs `inter_mode` in `mox.run`.

    A plateau is `patience` evaluations in a row without an improvement. Whatever the optimizer and its schedule are,
    what it changes the variables by is multiplied by a factor that begins with 1. The factor, the best value and the
    counts are part of the checkpoint: a run that was killed goes on with them.

    Args:
        monitor: the name in `monitor_info` to look at.
        factor: what a plateau multiplies the steps by.
        patience: evaluations without an improvement that make a plateau.
        min_delta: an improvement by less is none.
        cooldown: evaluations after a plateau that are not counted.
        min_scale: the steps are never multiplied by less than this.
        max_plateaus: the training ends with this many plateaus in a row without an improvement between them.
        mode: min, max, or auto: max for accuracies and their like, by the metric's name.

    Raises:
        WrongValue: a ValueError, if `monitor` is not in `monitor_info`, or a number is out of range.
    """

    def __init__(
        self,
        monitor_info: Mapping[str, Any],
        monitor: str,
        batch_size: int,
        samples_in_train: int,
        samples_in_eval: int,
        evaluate_every_n_epochs: float = 1,
        factor: float = 0.1,
        patience: int = 3,
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_scale: float = 0.0,
        max_plateaus: int = 3,
        prefix: str = "[Plateau Metric]",
        mode: str = "auto",
    ) -> None:
        if not 0 < factor < 1:
            raise WrongValue(f"factor={factor!r} of PlateauLREarlyStoppingHook", hint="it lies between 0 and 1")
        if patience < 1 or max_plateaus < 1:
            raise WrongValue(
                f"patience={patience!r}, max_plateaus={max_plateaus!r} of PlateauLREarlyStoppingHook",
                hint="both are at least 1",
            )
        self._factor, self._min_scale = factor, min_scale
        larger = larger_is_better(monitor, mode=mode)
        best = Best(larger=larger, min_delta=min_delta)
        self._plateau = Plateau(best, patience=patience, cooldown=cooldown, stop_after=max_plateaus)
        super().__init__(
            monitor_info,
            batch_size,
            samples_in_train,
            samples_in_eval,
            evaluate_every_n_epochs,
            monitor=monitor,
            judge=self._plateau,
            larger=larger,
            prefix=prefix,
        )
        self._scale = step_scale()

    def judged(self, value: float, run_context: Any) -> None:
        decision = self._plateau.decide(value)
        if decision is Decision.LOWER:
            self._lower(run_context.session)
        elif decision is Decision.STOP:
            say(f"training ends after step {attached(self).step}: smaller steps have not improved {self._monitor}")
            run_context.request_stop()

    def _lower(self, session: Any) -> None:
        scale = max(float(session.run(self._scale)) * self._factor, self._min_scale)
        self._scale.load(scale, session)
        say(
            f"step {attached(self).step}: {self._monitor} has not improved, the optimizer's steps are now x {scale:.3g}"
        )
