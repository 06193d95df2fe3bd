"""One batch through all that a job does, part by part: a part that fails does not hide the mistakes of the next."""

from runyard.config.train_args import Input
from runyard.data.batches import first_batch
from runyard.data.elements import split_element
from runyard.data.pipeline import prepare
from runyard.runner.check import CheckReport
from runyard.runner.check_rows import tensor_rows
from runyard.runner.job_script import JobScript, UserDatasets
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
                    _show_first(script.test_datasets(), part="test", script=script, report=report, labels=True)
            if Task.PREDICT in plan.tasks:
                with report.part():
                    _show_first(script.predict_dataset(), part="predict", script=script, report=report)


def _loaded(plan: Plan) -> JobScript:
    if Task.TRAIN in plan.tasks:
        return load_for_training(plan, seed=0)
    path = plan.draft.script_path
    assert path is not None, "the job file was checked"
    return JobScript(load_script(path), plan.job, plan.paths, lenient=plan.draft.lenient)


def _show_first(
    datasets: UserDatasets, *, part: str, script: JobScript, report: CheckReport, labels: bool = False
) -> None:
    train_args = script.job.job_detail.train_args
    config = train_args.input if train_args else Input()
    for key, dataset in datasets.named.items():
        with report.part():
            name = f"{part}({key})" if key else part
            made = prepare(dataset, batch_size=datasets.batch_size, already_batched=datasets.batched, config=config)
            batch = first_batch(made.dataset, what=f"{name} dataset").element
            report.rows += tensor_rows(split_element(batch, labels_expected=labels), part=name)
