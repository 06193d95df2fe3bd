"""A comparison as files: for the programs that come next."""

import math
from pathlib import Path
from typing import Any

from runyard.checkpoint.durable import storage_errors, write_json
from runyard.errors import StorageError
from runyard.runner.evaluation.comparison import Comparison, EvaluatedModel
from runyard.runner.plan import Plan

DEFAULT_FILE = "evaluation.json"
RESULT_FILE = ".model_evaluation_output"
REPORT_FILE = "evaluation.html"


def comparison_file(plan: Plan) -> Path:
    """Where the results go.

    Raises:
        StorageError: if nothing can be written there.
    """
    args = plan.job.job_detail.eval_args
    path = plan.paths.in_data(args.output_file if args and args.output_file else DEFAULT_FILE)
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise StorageError(f"cannot write {path}: it is a directory", hint="eval_args.output_file names a file")
    return path


def write_comparison(comparison: Comparison, *, plan: Plan) -> Path:
    """Writes everything to `comparison_file`, and `eval_results` alone to the result file of the task.

    Raises:
        StorageError: if that fails.
    """
    path = comparison_file(plan)
    results = [[model.name, str(model.path), _plain(model.metrics)] for model in comparison.models]
    write_json(
        path,
        {
            "eval_results": results,
            "baseline": comparison.baseline,
            "models": [_model(model) for model in comparison.models],
            "failed": [
                {"name": model.name, "path": str(model.path), "reason": str(model.error)} for model in comparison.failed
            ],
        },
    )
    write_json(plan.paths.data / _result_file(plan), {"eval_results": results})
    return path


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
                "metrics": _plain(result.metrics),
            }
            for result in model.datasets
        ],
    }


def _plain(value: Any) -> Any:
    """NaN and infinity, which JSON lacks, become null."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value if not isinstance(value, float) or math.isfinite(value) else None
