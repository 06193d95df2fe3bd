"""One batch through all that a job does, part by part: a part that fails does not hide the mistakes of the next."""

import re
from collections.abc import Mapping
from typing import Any

from runyard.config.train_args import TrainArgs
from runyard.data.batches import batched, first_batch
from runyard.data.elements import Element, split_element
from runyard.data.shapes import describe
from runyard.runner.check import CheckReport, Row
from runyard.runner.endless import refuse_endless
from runyard.runner.job_script import JobScript, UserDatasets
from runyard.runner.plan import Plan
from runyard.runner.rehearsal import REGULARISATION, rehearse_step, rehearse_validation
from runyard.script import Task, load_script
from runyard.training.fit import refuse_unknown_monitor
from runyard.training.step import loss_names


def dry_run(plan: Plan, *, report: CheckReport) -> None:
    """Fills the report."""
    path = plan.draft.script_path
    assert path is not None, "the job file was checked"
    with report.part():
        script = load_script(path)
        with script.active():
            job_script = JobScript(script, plan.job, plan.paths, lenient=plan.draft.lenient)
            if Task.TRAIN in plan.tasks:
                _training(job_script, report=report)
            if Task.EVALUATE in plan.tasks:
                with report.part():
                    _first_elements(job_script.test_datasets(), part="test", report=report)
            if Task.PREDICT in plan.tasks:
                with report.part():
                    _first_elements(job_script.predict_dataset(), part="predict", report=report, labels=False)


def _training(script: JobScript, *, report: CheckReport) -> None:
    args = script.job.job_detail.train_args
    assert args is not None, "the job file was checked"
    model: Any = None
    elements: Mapping[str, Element] = {}
    with report.part():
        model = script.create_model()
    with report.part():
        made = script.train_dataset()
        elements = _first_elements(made, part="train", report=report)
        refuse_endless(made.named[""], samples=args.num_samples, key="num_samples", what="training set")
    if model is not None and elements:
        rehearse_step(script, model=model, element=elements[""], args=args, report=report)
    if script.validates:
        with report.part():
            _validation(script, model=model, args=args, report=report)
    if not report.problems:
        with report.part():
            _refuse_wrong_monitor(args, report=report)


def _validation(script: JobScript, *, model: Any, args: TrainArgs, report: CheckReport) -> None:
    datasets = script.val_datasets()
    if datasets is None:
        return
    elements = _first_elements(datasets, part="val", report=report)
    if model is not None:
        rehearse_validation(script, model=model, elements=elements, args=args, report=report)


def _first_elements(
    datasets: UserDatasets, *, part: str, report: CheckReport, labels: bool = True
) -> dict[str, Element]:
    elements: dict[str, Element] = {}
    for key, dataset in datasets.named.items():
        name = f"{part}({key})" if key else part
        batch = first_batch(
            batched(dataset, batch_size=datasets.batch_size, already=datasets.batched), what=f"{name} dataset"
        )
        element = split_element(batch, labels_expected=labels)
        elements[key] = element
        for role, tensors in (("x", element.inputs), ("y", element.labels), ("weight", element.weights)):
            report.rows.extend(
                Row(name, f"{role}{path if path.startswith('[') or not path else '.' + path}", shape, dtype)
                for path, shape, dtype in describe(tensors)
            )
    return elements


def _refuse_wrong_monitor(args: TrainArgs, *, report: CheckReport) -> None:
    """The monitor of early stopping must be among what the rows show."""
    if args.early_stopping is None:
        return
    losses = loss_names([row.name for row in report.rows if row.part == "loss" and row.name != REGULARISATION])
    sets = dict.fromkeys(row.part.removeprefix("val") for row in report.rows if re.fullmatch(r"val(\(.*\))?", row.part))
    metrics = [row.name for row in report.rows if row.part == "metric"]
    validated = [f"val_{name}{key}" for key in sets for name in losses]
    refuse_unknown_monitor(args.early_stopping.monitor, names=[*losses, *metrics, *validated])
