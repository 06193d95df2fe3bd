"""The validation of a job: its sets, and the model each is for."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import reduce
from typing import Any

from runyard.config.train_args import TrainArgs
from runyard.data.elements import Element, split_element
from runyard.data.elsewhere import DividedDataset
from runyard.data.pipeline import prepare
from runyard.data.sharding import Shard
from runyard.data.tree import may_be_endless, traits_of
from runyard.models.to_save import ModelToSave, models_to_save
from runyard.runner.endless import refuse_endless
from runyard.runner.job_script import JobScript
from runyard.runner.mismatch import refuse_unfit
from runyard.runner.validated_model import Validated, choose_validated
from runyard.runner.weight_copies import REMARK, refreshing
from runyard.training.coordinator import Coordinator
from runyard.training.division import UNDIVIDED, Division
from runyard.training.engine import Engine
from runyard.training.evaluating import Evaluation, EvaluationPlan, build_evaluation
from runyard.training.limits import steps_in_epoch
from runyard.training.randomness import Purpose, seed_for
from runyard.training.validation import Validation, set_name
from runyard.training.workers import ALONE, Workers


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
    seed: int
    workers: Workers = ALONE
    division: Division = UNDIVIDED

    def datasets(self) -> Mapping[str, Any]:
        """The batches of each set by the suffix of its metrics; nothing where the job does not validate.

        Raises:
            DataError: if a set has no end, and the job names none.
        """
        if not self.script.validates:
            return {}
        shards = [self._of_shard(shard) for shard in self.division.owned_by(self.workers)]
        if len(shards) == 1:
            return shards[0]
        return {key: _in_a_row([self._limited(sets[key], key=key) for sets in shards]) for key in shards[0]}

    def _of_shard(self, shard: Shard) -> dict[str, Any]:
        # For each anew: shards of a shuffled set must be shards of the same order.
        seed_for(self.seed, purpose=Purpose.VALIDATION_DATA)
        made = self.script.val_datasets(shard, replicas=self.division.replicas)
        if made is None:
            return {}
        return {
            key: prepare(
                dataset, batch_size=made.batch_size, already_batched=made.batched, config=self.args.input
            ).dataset
            for key, dataset in made.named.items()
        }

    def _limited(self, dataset: Any, *, key: str) -> Any:
        batches = self._batches_of_shard(dataset, key=key)
        return dataset if batches is None else dataset.take(batches)

    def divided(self, datasets: Mapping[str, Any]) -> Mapping[str, Any]:
        """The sets as they are read: with parameter servers, in parts by the workers. Python runs here only."""
        if not isinstance(self.workers, Coordinator):
            return datasets
        devices = self.workers.workers
        if not datasets:
            return {}
        alone = len(devices) == 1
        shards = [datasets] if alone else [self._of_shard(Shard(index, len(devices))) for index in range(len(devices))]
        return {
            key: whole
            if traits_of(whole).python
            else DividedDataset(
                whole,
                parts={device: shard[key] for device, shard in zip(devices, shards, strict=True)},
                what=set_name(key),
            )
            for key, whole in datasets.items()
        }

    def saved_models(self) -> list[ModelToSave]:
        """What `awf_model_to_save_fn` chooses now."""
        return models_to_save(self.script.model_to_save(self.model), default_name=self.script.script.path.stem)

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
            workers=self.workers,
            replicas=self.division.replicas,
        )
        return ValidationSet(element, evaluation, chosen, [*remarks, *([chosen.remark] if chosen.remark else [])])

    def batches(self, dataset: Any, *, key: str) -> int | None:
        """How many batches of an endless set are validated by this process; None for all of a finite one."""
        of_shard = self._batches_of_shard(dataset, key=key)
        return None if of_shard is None else of_shard * len(self.division.owned_by(self.workers))

    def _batches_of_shard(self, dataset: Any, *, key: str) -> int | None:
        refuse_endless(dataset, samples=self.args.num_val_samples, key="num_val_samples", what=set_name(key))
        if not may_be_endless(dataset) or not self.args.num_val_samples:
            return None
        return steps_in_epoch(self.args.num_val_samples, batch_size=self.args.batch_size * self.division.parts)

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
        return refuse_unfit(f"the {what} cannot be validated", came=came, folder=self.script.script.path.parent)


def _in_a_row(datasets: Sequence[Any]) -> Any:
    return reduce(lambda one, other: one.concatenate(other), datasets)


def build_validation(
    validating: Validating, *, engine: Engine, at_most: int | None
) -> tuple[Validation, Sequence[str]]:
    """The validation after each epoch, an empty one where the job has none; and remarks.

    Args:
        at_most: batches of each set; None for all.
    """
    datasets = validating.datasets()
    saved = validating.saved_models() if datasets else []
    read = validating.divided(datasets)
    sets = {key: validating.one_set(dataset, saved=saved) for key, dataset in read.items()}
    batches = {
        key: at_most if at_most is not None else validating.batches(dataset, key=key)
        for key, dataset in datasets.items()
    }
    return validating.together(sets, engine=engine, batches=batches)
