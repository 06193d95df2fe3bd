"""A metric of the validation set that decides about the training."""

from collections.abc import Mapping
from typing import Any, Protocol

from moxing.tensorflow.executor.failures import WrongValue
from moxing.tensorflow.executor.hooks.log_metric import LogEvaluationMetricHook
from moxing.tensorflow.executor.hooks.memory import Memory
from moxing.tensorflow.executor.run_view import RunView


class Judge(Protocol):
    """Looks at one value after the other; what it knows are some numbers."""

    @property
    def numbers(self) -> list[float]: ...

    def recall(self, numbers: list[float]) -> None: ...


class WatchedMetricHook(LogEvaluationMetricHook):
    """A hook that judges by the values of one metric. A run that was killed goes on with what the hook knew.

    Args:
        monitor: the name in `monitor_info` to look at.
        judge: looks at its values.
        larger: whether it should grow.

    Raises:
        WrongValue: a ValueError, if `monitor` is not in `monitor_info`.
    """

    def __init__(self, *evaluation: Any, monitor: str, judge: Judge, larger: bool, prefix: str) -> None:
        super().__init__(*evaluation, prefix=prefix)
        if monitor not in self.monitor_info:
            known = ", ".join(self.monitor_info)
            raise WrongValue(f"monitor={monitor!r} is not in monitor_info", hint=f"there are: {known}")
        self._monitor, self._judge, self._larger = monitor, judge, larger

    def judged(self, value: float, run_context: Any) -> None:
        """The next value of the metric is there."""
        raise NotImplementedError

    def attach(self, view: RunView) -> None:
        super().attach(view)
        names = (type(self).__name__, self._monitor, "max" if self._larger else "min")
        self._memory = Memory(*names, at_first=self._judge.numbers)

    def after_create_session(self, session: Any, coord: Any) -> None:
        super().after_create_session(session, coord)
        self._judge.recall(self._memory.recall(session))

    def evaluated(self, values: Mapping[str, float], run_context: Any) -> None:
        self.judged(values[self._monitor], run_context)
        self._memory.keep(run_context.session, self._judge.numbers)
