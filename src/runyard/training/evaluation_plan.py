"""What an evaluation measures, and the evaluation made from it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from runyard.bridge import chosen_keras, keras_version_of
from runyard.config.written_forms import LossForms, MetricForms
from runyard.data.elements import split_element
from runyard.data.inputs import InputChoice
from runyard.errors import ModelError
from runyard.training.evaluating import Evaluation
from runyard.training.evaluation_step import EvaluationStep, Watch
from runyard.training.traced_model import trace_model
from runyard.training.workers import ALONE, Workers


@dataclass(frozen=True)
class EvaluationPlan:
    """What an evaluation measures."""

    losses: LossForms | None
    metrics: MetricForms | None
    weighted_metrics: MetricForms | None
    loss_factory: Callable[[Any], object]
    metric_factory: Callable[[Any], object]


def build_evaluation(
    model: Any,
    *,
    dataset: Any,
    inputs: InputChoice,
    plan: EvaluationPlan,
    watch: Watch | None = None,
    workers: Workers = ALONE,
    replicas: int = 1,
) -> tuple[Evaluation, Sequence[str]]:
    """An evaluation, and remarks. Losses that do not fit the model's outputs are left out with a remark.

    Args:
        model: of either Keras, or anything that is called with inputs and gives outputs.
        dataset: in batches.
        workers: each of which has a part of the dataset.
        replicas: among which each batch is divided.
    """
    keras = keras_version_of(model) or chosen_keras()
    traced = trace_model(model, element=split_element(dataset.element_spec), inputs=inputs, keras=keras)
    remarks: list[str] = []
    losses = None
    if plan.losses is not None:
        try:
            losses = traced.losses(plan.losses, factory=plan.loss_factory)
        except ModelError as error:
            remarks.append(f"no loss is computed here: {error}")
    board = traced.metrics(plan.metrics, weighted=plan.weighted_metrics, factory=plan.metric_factory)
    step = EvaluationStep(model, inputs=inputs, losses=losses, board=board, watch=watch, replicas=replicas)
    return Evaluation(step, dataset=dataset, workers=workers), remarks
