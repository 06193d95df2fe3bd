"""The validation of a job: its sets, and the model each is for."""

from typing import Any

from runyard.config.train_args import TrainArgs
from runyard.data.elements import split_element
from runyard.data.pipeline import prepare
from runyard.runner.endless import is_endless, refuse_endless
from runyard.runner.job_script import JobScript
from runyard.runner.train import TrainOptions
from runyard.runner.validation import choose_validated
from runyard.telemetry import note
from runyard.training.engine import Engine
from runyard.training.evaluating import Evaluation, EvaluationPlan, build_evaluation
from runyard.training.fit import steps_in_epoch
from runyard.training.validation import Validation


def build_validation(
    script: JobScript, *, model: Any, args: TrainArgs, engine: Engine, options: TrainOptions
) -> Validation:
    """The validation after each epoch; an empty one where the job has none."""
    made = script.val_datasets() if script.validates and options.overfit_batches is None else None
    if made is None:
        return Validation({})
    saved = script.model_to_save(model)
    sets: dict[str, Evaluation] = {}
    batches: dict[str, int | None] = {}
    remarks: dict[str, None] = {}
    for key, dataset in made.named.items():
        prepared = prepare(dataset, batch_size=made.batch_size, already_batched=made.batched, config=args.input)
        inputs = split_element(prepared.dataset.element_spec).inputs
        chosen = choose_validated(args, trained=model, saved=saved, input_spec=inputs)
        plan = EvaluationPlan(
            args.losses,
            args.metrics,
            args.weighted_metrics,
            loss_factory=script.loss_factory(chosen.model),
            metric_factory=script.metric_factory(chosen.model),
        )
        sets[key], found = build_evaluation(chosen.model, dataset=prepared.dataset, inputs=chosen.inputs, plan=plan)
        remarks.update(dict.fromkeys([*found, *([chosen.remark] if chosen.remark else [])]))
        batches[key] = 1 if options.fast_dev_run else _batches(prepared.dataset, args=args)
    for remark in remarks:
        note(remark)
    return Validation(
        sets,
        every_epochs=args.validation.every_epochs,
        batches=batches,
        average=engine.update.average,
        seed=engine.update.seed,
    )


def _batches(dataset: Any, *, args: TrainArgs) -> int | None:
    """How many batches of an endless set are validated; None for all of a finite one."""
    refuse_endless(dataset, samples=args.num_val_samples, key="num_val_samples", what="validation set")
    if not is_endless(dataset) or not args.num_val_samples:
        return None
    return steps_in_epoch(args.num_val_samples, batch_size=args.batch_size)
