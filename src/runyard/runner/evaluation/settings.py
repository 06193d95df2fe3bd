"""What an evaluation measures and how: what `eval_args` says, else what `train_args` says."""

from dataclasses import dataclass

from runyard.config import Job
from runyard.config.eval_args import EvalArgs
from runyard.config.train_args import Input, TrainArgs
from runyard.config.written_forms import LossForms, MetricForms
from runyard.data.inputs import InputChoice


@dataclass(frozen=True)
class EvaluationSettings:
    """The settings of an evaluation, with those of the training where it has none of its own."""

    args: EvalArgs
    losses: LossForms | None
    metrics: MetricForms | None
    weighted_metrics: MetricForms | None
    inputs: InputChoice
    data: Input
    seed: int

    @property
    def measures_something(self) -> bool:
        return self.losses is not None or _names_any(self.metrics) or _names_any(self.weighted_metrics)

    @property
    def all_weighted(self) -> bool:
        """Whether every metric heeds the weights of the rows."""
        return _names_any(self.weighted_metrics) and not _names_any(self.metrics)


def evaluation_settings(job: Job) -> EvaluationSettings:
    own = job.job_detail.eval_args or EvalArgs()
    training = job.job_detail.train_args or TrainArgs()
    exclude, squeeze = own.model_call_exclude_input_index, own.input_squeeze
    return EvaluationSettings(
        args=own,
        losses=own.losses if own.losses is not None else training.losses,
        metrics=own.metrics if own.metrics is not None else training.metrics,
        weighted_metrics=own.weighted_metrics if own.weighted_metrics is not None else training.weighted_metrics,
        inputs=InputChoice(
            exclude if exclude is not None else training.model_call_exclude_input_index or (),
            squeeze if squeeze is not None else training.input_squeeze,
        ),
        data=training.input,
        seed=training.seed or 0,
    )


def _names_any(forms: MetricForms | None) -> bool:
    if forms is None:
        return False
    lists = [forms.every_output or (), *(forms.in_order or ()), *(forms.by_output or {}).values()]
    return any(len(specs) > 0 for specs in lists)
