"""One batch through all that a job does, part by part: a part that fails does not hide the mistakes of the next."""

from typing import Any

from runyard.config.eval_args import PredictArgs
from runyard.config.train_args import Input
from runyard.data.batches import first_batch
from runyard.data.elements import split_element
from runyard.data.pipeline import prepare
from runyard.predictions.features import features_of
from runyard.runner.check import CheckReport
from runyard.runner.check_rows import tensor_rows
from runyard.runner.evaluation.sets import evaluation_sets
from runyard.runner.evaluation.settings import evaluation_settings
from runyard.runner.job_script import JobScript
from runyard.runner.plan import Plan
from runyard.runner.training_parts import load_for_training
from runyard.runner.training_rehearsal import rehearse_training
from runyard.script import Task, load_script


def rehearse(plan: Plan, *, report: CheckReport) -> None:
    """Fills the report."""
    with report.part():
        script = _loaded(plan)
        with script.script.active():
            if Task.TRAIN in plan.tasks:
                rehearse_training(plan, script, report=report)
            if Task.EVALUATE in plan.tasks:
                with report.part():
                    _rehearse_evaluation(script, report=report)
            if Task.PREDICT in plan.tasks:
                with report.part():
                    _rehearse_prediction(script, report=report)


def _loaded(plan: Plan) -> JobScript:
    if Task.TRAIN in plan.tasks:
        return load_for_training(plan, seed=0)
    path = plan.draft.script_path
    assert path is not None, "the job file was checked"
    return JobScript(load_script(path), plan.job, plan.paths, lenient=plan.draft.lenient)


def _rehearse_evaluation(script: JobScript, *, report: CheckReport) -> None:
    """The first batch of every test set; which model it is for is known only when one is saved."""
    for one in evaluation_sets(script, settings=evaluation_settings(script.job)):
        with report.part():
            _show_first(one.dataset, part=f"test({one.key})" if one.key else "test", report=report, labels=True)


def _rehearse_prediction(script: JobScript, *, report: CheckReport) -> None:
    detail = script.job.job_detail
    made = script.predict_dataset()
    config = detail.train_args.input if detail.train_args else Input()
    prepared = prepare(made.named[""], batch_size=made.batch_size, already_batched=made.batched, config=config)
    _show_first(prepared.dataset, part="predict", report=report)
    features_of(prepared.dataset.element_spec, args=detail.predict_args or PredictArgs())


def _show_first(dataset: Any, *, part: str, report: CheckReport, labels: bool = False) -> None:
    batch = first_batch(dataset, what=f"{part} dataset").element
    report.rows += tensor_rows(split_element(batch, labels_expected=labels), part=part)
