"""Validation metrics on the console."""

from collections.abc import Mapping
from typing import Any

from moxing.tensorflow.executor.hooks.evaluation import EvaluationHook
from moxing.tensorflow.executor.hooks.period import EvaluationPeriod


class LogEvaluationMetricHook(EvaluationHook):
    """Prints metrics of the validation set while a training goes on. Needs `inter_mode` in `mox.run`.

    Args:
        monitor_info: scalars of `model_fn` by name.
        batch_size: of one device.
        samples_in_train: in an epoch of training.
        samples_in_eval: how many each evaluation looks at.
        evaluate_every_n_epochs: epochs of training between two evaluations.
        prefix: what the line begins with.
    """

    def __init__(
        self,
        monitor_info: Mapping[str, Any],
        batch_size: int,
        samples_in_train: int,
        samples_in_eval: int,
        evaluate_every_n_epochs: float = 1,
        prefix: str = "[VALIDATION METRICS]",
    ) -> None:
        period = EvaluationPeriod(
            batch_size=batch_size,
            samples_in_train=samples_in_train,
            samples_in_eval=samples_in_eval,
            every_n_epochs=evaluate_every_n_epochs,
        )
        super().__init__(monitor_info, period=period, prefix=prefix)
