"""`runyard evaluate`: find the models, run each over the test sets, compare them, write it down."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from runyard.checkpoint.durable import storage_errors
from runyard.config import JobRequest
from runyard.errors import StorageError
from runyard.runner.evaluation.comparison import Comparison
from runyard.runner.evaluation.comparison_file import EvaluationFiles, evaluation_files, write_comparison
from runyard.runner.evaluation.comparison_table import comparison_table
from runyard.runner.plan import Plan, plan_job
from runyard.runner.starting import start
from runyard.script import Task
from runyard.telemetry import note, say

if TYPE_CHECKING:
    from runyard.reports.evaluation import ScoredOutput


@dataclass(frozen=True)
class EvaluateOptions:
    """What the command line says beyond the job.

    Args:
        upstream: a result file whose models come before those of the job.
        online_model: what `${ONLINE_MODEL}$` stands for.
    """

    upstream: Path | None = None
    online_model: str | None = None


def evaluate(
    request: JobRequest, options: EvaluateOptions, *, show: Callable[[Comparison], None] | None = None
) -> Comparison:
    """Evaluates the models of a job. Those that failed are in the result, with their reasons.

    Args:
        show: is given the result before it is written, so that a full disk does not hide it.

    Raises:
        RunyardError: if nothing could be evaluated at all; see `errors`.
    """
    plan = plan_job(request, tasks={Task.EVALUATE})
    if plan.job.skip:
        say("The job says skip.")
        return Comparison([])
    for remark in plan.remarks:
        note(remark)
    start(plan)
    from runyard.runner.evaluation.models import evaluate_models
    from runyard.runner.model_sources import models_to_evaluate

    files = evaluation_files(plan)
    files.refuse_unwritable()
    sources = models_to_evaluate(plan, upstream=options.upstream, online_model=options.online_model)
    comparison, scored = evaluate_models(plan, sources, so_far=functools.partial(_keep_safe, files=files))
    if show is not None:
        show(comparison)
    write_comparison(comparison, files=files)
    say(f"Wrote {files.everything}.")
    _replace_report(comparison, scored, plan=plan, files=files)
    return comparison


def _keep_safe(comparison: Comparison, *, files: EvaluationFiles) -> None:
    """What is known while models are still to come stays if the evaluation is ended: by Ctrl-C, or in any other way."""
    try:
        write_comparison(comparison, files=files, complete=False)
    except StorageError as error:
        note(f"the results so far are not kept: {error}")


def _replace_report(
    comparison: Comparison, scored: Sequence["ScoredOutput"], *, plan: Plan, files: EvaluationFiles
) -> None:
    """A page of an earlier evaluation does not stay beside results that it does not show."""
    args = plan.job.job_detail.eval_args
    if comparison.models and (args is None or args.report):
        _write_report(comparison, scored, plan=plan, path=files.report)
        say(f"Wrote {files.report}.")
    else:
        with storage_errors(files.report):
            files.report.unlink(missing_ok=True)


def _write_report(comparison: Comparison, scored: Sequence["ScoredOutput"], *, plan: Plan, path: Path) -> None:
    from runyard.reports.evaluation import ReportTable, write_report

    table = comparison_table(comparison)
    title = f"Evaluation of {plan.job.name}" if plan.job.name else "Evaluation"
    remarks = [
        *([table.legend] if table.legend else []),
        *(f"{model.name}: {model.path}" for model in comparison.models),
        *(f"{model.name} ({model.path}) was not evaluated: {model.error}" for model in comparison.failed),
    ]
    shown = ReportTable(columns=table.columns, rows=table.rows, best=table.best, remarks=remarks)
    write_report(path, title=title, table=shown, scored=scored)
