"""`runyard evaluate`: find the models, run each over the test sets, compare them, write it down."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from runyard.config import JobRequest
from runyard.runner.evaluation.comparison import Comparison
from runyard.runner.evaluation.comparison_file import REPORT_FILE, comparison_file, write_comparison
from runyard.runner.evaluation.comparison_table import comparison_table
from runyard.runner.plan import Plan, plan_job
from runyard.runner.starting import start
from runyard.script import Task
from runyard.telemetry import note, say

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def evaluate(request: JobRequest, options: EvaluateOptions) -> Comparison:
    """Evaluates the models of a job. Those that failed are in the result, with their reasons.

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

    comparison_file(plan)  # Not after hours that it cannot be written.
    sources = models_to_evaluate(plan, upstream=options.upstream, online_model=options.online_model)
    comparison, scored = evaluate_models(plan, sources)
    say(f"Wrote {write_comparison(comparison, plan=plan)}.")
    args = plan.job.job_detail.eval_args
    if comparison.models and (args is None or args.report):
        say(f"Wrote {_write_report(comparison, scored, plan=plan)}.")
    return comparison


def _write_report(comparison: Comparison, scored: "Sequence[ScoredOutput]", *, plan: Plan) -> Path:
    from runyard.reports.evaluation import ReportTable, write_report

    table = comparison_table(comparison)
    path = plan.paths.data / REPORT_FILE
    title = f"Evaluation of {plan.job.name}" if plan.job.name else "Evaluation"
    shown = ReportTable(columns=table.columns, rows=table.rows, best=table.best)
    write_report(path, title=title, table=shown, scored=scored)
    return path
