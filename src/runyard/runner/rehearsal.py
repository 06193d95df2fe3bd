"""One batch through all that a job does, part by part: a part that fails does not hide the mistakes of the next."""

from collections.abc import Sequence
from typing import Any

from runyard.config.eval_args import PredictArgs
from runyard.config.train_args import Input
from runyard.data.batches import first_batch
from runyard.data.elements import split_element
from runyard.data.pipeline import prepare
from runyard.models.to_save import ModelToSave
from runyard.predictions.encoders import encoder_for
from runyard.predictions.features import features_of
from runyard.runner.check import CheckReport
from runyard.runner.check_rows import tensor_rows
from runyard.runner.evaluation.models import evaluate_one_batch
from runyard.runner.evaluation.sets import evaluation_sets
from runyard.runner.evaluation.settings import evaluation_settings
from runyard.runner.job_script import JobScript, load_job_script
from runyard.runner.plan import Plan
from runyard.runner.prediction.assembly import forward_pass
from runyard.runner.training_parts import load_for_training
from runyard.runner.training_rehearsal import rehearse_training
from runyard.script import Task


def rehearse(plan: Plan, *, report: CheckReport) -> None:
    """Fills the report."""
    with report.part():
        script = _loaded(plan)
        with script.active():
            trained: Sequence[ModelToSave] = ()
            if Task.TRAIN in plan.tasks:
                trained = rehearse_training(plan, script, report=report)
            if script.loads_models:
                trained = ()  # What the script loads need not be what it has trained.
            if Task.EVALUATE in plan.tasks:
                with report.part():
                    _rehearse_evaluation(script, trained=trained, report=report)
            if Task.PREDICT in plan.tasks:
                with report.part():
                    _rehearse_prediction(script, trained=trained, report=report)


def _loaded(plan: Plan) -> JobScript:
    if Task.TRAIN in plan.tasks:
        return load_for_training(plan, seed=0)
    return load_job_script(plan)


def _rehearse_evaluation(script: JobScript, *, trained: Sequence[ModelToSave], report: CheckReport) -> None:
    """The first batch of every test set, through the trained models where those will be evaluated."""
    settings = evaluation_settings(script.job)
    sets = evaluation_sets(script, settings=settings)
    problems = len(report.problems)
    for one in sets:
        with report.part():
            _show_first(one.dataset, part=f"test({one.key})" if one.key else "test", report=report, labels=True)
    if settings.args.models or len(report.problems) > problems:
        return
    for one in trained:
        with report.part():
            evaluate_one_batch(script, one.model, name=one.name, settings=settings, sets=sets)


def _rehearse_prediction(script: JobScript, *, trained: Sequence[ModelToSave], report: CheckReport) -> None:
    detail = script.job.job_detail
    args = detail.predict_args or PredictArgs()
    made = script.predict_dataset()
    config = detail.train_args.input if detail.train_args else Input()
    prepared = prepare(made.named[""], batch_size=made.batch_size, already_batched=made.batched, config=config)
    _show_first(prepared.dataset, part="predict", report=report)
    features = features_of(prepared.dataset.element_spec, args=args)
    if args.model_path is None and len(trained) == 1:
        element = prepared.dataset.element_spec
        forward = forward_pass(trained[0].model, features=features, element=element, script=script)
        encoder_for(forward.columns, args=args)


def _show_first(dataset: Any, *, part: str, report: CheckReport, labels: bool = False) -> None:
    batch = first_batch(dataset, what=f"{part} dataset").element
    report.rows += tensor_rows(split_element(batch, labels_expected=labels), part=part)
