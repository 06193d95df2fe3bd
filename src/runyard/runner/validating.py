"""The validation of a job: its sets, and the model each is for."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from runyard.config.train_args import TrainArgs
from runyard.data.elements import Element, split_element
from runyard.models.to_save import ModelToSave, models_to_save
from runyard.runner.job_script import JobScript
from runyard.runner.mismatch import refuse_unfit
from runyard.runner.validated_model import Validated, choose_validated
from runyard.runner.validation_data import ValidationData
from runyard.runner.weight_copies import REMARK, refreshing
from runyard.training.engine import Engine
from runyard.training.evaluating import Evaluation
from runyard.training.evaluation_plan import EvaluationPlan, build_evaluation
from runyard.training.validation import Validation, set_name


@dataclass(frozen=True)
class ValidationSet:
    """One set, ready to be validated.

    Args:
        element: one of its batches as `tf.TensorSpec`s.
    """

    element: Element
    evaluation: Evaluation
    validated: Validated
    remarks: Sequence[str]


@dataclass(frozen=True)
class Validating:
    """Makes the validation of a training, set by set."""

    script: JobScript
    args: TrainArgs
    model: Any
    data: ValidationData

    def saved_models(self) -> list[ModelToSave]:
        """What `awf_model_to_save_fn` chooses now."""
        return models_to_save(self.script.model_to_save(self.model), default_name=self.script.stem)

    def one_set(self, dataset: Any, *, saved: Sequence[ModelToSave]) -> ValidationSet:
        element = split_element(dataset.element_spec)
        chosen = choose_validated(self.args, trained=self.model, saved=saved, input_spec=element.inputs)
        plan = EvaluationPlan(
            self.args.losses,
            self.args.metrics,
            self.args.weighted_metrics,
            loss_factory=self.script.loss_factory(chosen.model),
            metric_factory=self.script.metric_factory(chosen.model),
        )
        evaluation, remarks = build_evaluation(
            chosen.model,
            dataset=dataset,
            inputs=chosen.inputs,
            plan=plan,
            workers=self.data.workers,
            replicas=self.data.division.replicas,
        )
        return ValidationSet(element, evaluation, chosen, [*remarks, *([chosen.remark] if chosen.remark else [])])

    def together(
        self, sets: Mapping[str, ValidationSet], *, engine: Engine, batches: Mapping[str, int | None]
    ) -> tuple[Validation, Sequence[str]]:
        """The validation after each epoch, and remarks."""
        remarks = [remark for each in sets.values() for remark in each.remarks]
        refresh = refreshing(
            [each.validated for each in sets.values()],
            trained=self.model,
            saved_models=lambda: [one.model for one in self.saved_models()],
        )
        validation = Validation(
            {key: each.evaluation for key, each in sets.items()},
            every_epochs=self.args.validation.every_epochs,
            batches=batches,
            average=engine.update.average,
            seed=engine.update.seed,
            refresh=refresh,
            explain=lambda key: self.explain(sets[key], what=set_name(key)),
        )
        return validation, list(dict.fromkeys([*remarks, *([REMARK] if refresh else [])]))

    def explain(self, made: ValidationSet, *, what: str) -> AbstractContextManager[None]:
        """Turns what Keras raises during a validation into an error that shows what came."""
        came = {"x": made.element.inputs, "y": made.element.labels, "weight": made.element.weights}
        return refuse_unfit(f"the {what} cannot be validated", came=came, folder=self.script.folder)


def build_validation(
    validating: Validating, *, engine: Engine, at_most: int | None
) -> tuple[Validation, Sequence[str]]:
    """The validation after each epoch, an empty one where the job has none; and remarks.

    Args:
        at_most: batches of each set; None for all.
    """
    datasets = validating.data.datasets()
    saved = validating.saved_models() if datasets else []
    read = validating.data.divided(datasets)
    sets = {key: validating.one_set(dataset, saved=saved) for key, dataset in read.items()}
    batches = {
        key: at_most if at_most is not None else validating.data.batches(dataset, key=key)
        for key, dataset in datasets.items()
    }
    return validating.together(sets, engine=engine, batches=batches)
