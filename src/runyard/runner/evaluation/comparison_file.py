"""A comparison as files: for the programs that come next."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runyard.checkpoint.durable import storage_errors, write_json
from runyard.checkpoint.json_numbers import without_nan
from runyard.errors import StorageError
from runyard.runner.evaluation.comparison import Comparison, EvaluatedModel
from runyard.runner.plan import Plan

DEFAULT_FILE = "evaluation.json"
RESULT_FILE = ".model_evaluation_output"
REPORT_FILE = "evaluation.html"


@dataclass(frozen=True)
class EvaluationFiles:
    """Where an evaluation leaves what it found.

    Args:
        everything: the whole comparison.
        results: `eval_results` alone; may be the same file, which then has everything.
        report: the page for people.
    """

    everything: Path
    results: Path
    report: Path

    def refuse_unwritable(self) -> None:
        """Before hours of work, not after them.

        Raises:
            StorageError: if one of them cannot be written, or would overwrite the report.
        """
        for path in (self.everything, self.results, self.report):
            with storage_errors(path):
                path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                hint = "eval_args.output_file names a file" if path == self.everything else "move it away"
                raise StorageError(f"cannot write {path}: it is a directory", hint=hint)
            if not os.access(path.parent, os.W_OK):
                raise StorageError(f"cannot write {path}: nothing can be written to {path.parent}")
        if self.report in (self.everything, self.results):
            raise StorageError(f"{self.report} is the page of the report", hint="name another output_file")


def evaluation_files(plan: Plan) -> EvaluationFiles:
    args = plan.job.job_detail.eval_args
    named = args.output_file if args and args.output_file else DEFAULT_FILE
    data = plan.paths.data
    return EvaluationFiles(plan.paths.in_data(named), data / _result_file(plan), data / REPORT_FILE)


def write_comparison(comparison: Comparison, *, files: EvaluationFiles, complete: bool = True) -> None:
    """Writes everything, and `eval_results` alone to the result file of the task.

    Args:
        complete: False while models are still to come; the result file then has to wait for them.

    Raises:
        StorageError: if that fails.
    """
    results = [[model.name, str(model.path), without_nan(model.metrics)] for model in comparison.models]
    write_json(
        files.everything,
        {
            "complete": complete,
            "eval_results": results,
            "baseline": comparison.baseline,
            "models": [_model(model) for model in comparison.models],
            "failed": [
                {"name": model.name, "path": str(model.path), "reason": str(model.error)} for model in comparison.failed
            ],
        },
    )
    if complete and files.results.resolve() != files.everything.resolve():
        write_json(files.results, {"eval_results": results})


def _result_file(plan: Plan) -> str:
    """In a job that trains, too, `output_file` names the models that were trained."""
    trains = plan.job.job_detail.train_args is not None
    return RESULT_FILE if trains or not plan.job.output_file else Path(plan.job.output_file).name


def _model(model: EvaluatedModel) -> dict[str, Any]:
    return {
        "name": model.name,
        "path": str(model.path),
        "samples": sum(result.samples for result in model.datasets),
        "seconds": round(sum(result.seconds for result in model.datasets), 3),
        "datasets": [
            {
                "name": result.key or None,
                "samples": result.samples,
                "seconds": round(result.seconds, 3),
                "metrics": without_nan(result.metrics),
            }
            for result in model.datasets
        ],
    }
