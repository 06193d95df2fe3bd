"""Looks at the validation set from within a training."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.failures import WrongValue
from moxing.tensorflow.executor.hooks.aggregative import AggregativeSessionRunHook, attached
from moxing.tensorflow.executor.hooks.period import EvaluationPeriod
from moxing.tensorflow.executor.lines import log_line


class EvaluationHook(AggregativeSessionRunHook):
    """Runs the inter mode every so many epochs, prints the means of some scalars, and lets a subclass look at them.

    The means are over all batches and devices. The line comes before that of the same training step.

    Args:
        monitor_info: scalars of `model_fn` by name, in the order in which they are printed.
        prefix: what the line begins with.

    Raises:
        WrongValue: a ValueError, if there is nothing to look at, or something is no scalar.
    """

    def __init__(self, monitor_info: Mapping[str, Any], *, period: EvaluationPeriod, prefix: str) -> None:
        super().__init__()
        self.monitor_info = {name: _scalar(name, value) for name, value in monitor_info.items()}
        if not self.monitor_info:
            raise WrongValue("monitor_info is empty", hint="name at least one scalar: {'loss': loss}")
        self._period, self._prefix = period, prefix

    def evaluated(self, values: Mapping[str, float], run_context: Any) -> None:
        """An evaluation is over."""

    def steps_until_due(self) -> int:
        view = attached(self)
        period = self._period.steps(num_clones=view.num_clones)
        return period - (view.step + 1) % period

    def after_run(self, run_context: Any, run_values: Any) -> None:
        del run_values
        view = attached(self)
        if (view.step + 1) % self._period.steps(num_clones=view.num_clones) == 0:
            values = self._evaluate(run_context.session)
            shown = [f"step: {view.step}", *(f"{name}: {value:.3f}" for name, value in values.items())]
            log_line(" ".join([self._prefix, *shown] if self._prefix else shown))
            self.evaluated(values, run_context)

    def support_aggregation(self) -> bool:
        return True

    def support_sync_workers(self) -> bool:
        return True

    def run_inter_mode(self) -> bool:
        return True

    def _evaluate(self, session: Any) -> dict[str, float]:
        view = attached(self)
        assert view.inter is not None, "a hook of the inter mode is registered only where there is one"
        fetches = [one.monitor_info for one in view.clones_of(self)]
        batches = self._period.batches(num_clones=view.num_clones)
        runs = list(view.inter.run(session, fetches, batches=batches))
        return {name: float(np.mean([clone[name] for run in runs for clone in run])) for name in self.monitor_info}


def _scalar(name: str, value: Any) -> Any:
    tensor = tf.convert_to_tensor(value)
    if tensor.shape.rank not in (0, None):
        raise WrongValue(
            f"monitor_info[{name!r}] has the shape {tensor.shape}", hint="give a scalar: tf.reduce_mean(...)"
        )
    return tensor
