"""Job files for the tests of this folder."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from runyard.config import CheckedJob, InvalidJob, Job, JobRequest, Problem, check_draft, draft_job
from runyard.config.train_args import TrainArgs

EXAMPLES = Path(__file__).parents[2] / "examples"
EXAMPLE_FILES = sorted(EXAMPLES.glob("*/job*.json"))
NOW = datetime(2024, 3, 31, 10, 20, 30)

DETAIL: dict[str, Any] = {"script_name": "train.py", "train_args": {"losses": "mse"}}


def check_text(text: str, **request: Any) -> CheckedJob:
    request = {"pack_path": "/pack", "data_path": "/data", "now": NOW, **request}
    factories = request.pop("factories", frozenset())
    return check_draft(draft_job(JobRequest(job_text=text, **request)), factories=factories)


def check(data: object, **request: Any) -> CheckedJob:
    return check_text(json.dumps(data, indent=1), **request)


def job_of(data: object, **request: Any) -> Job:
    checked = check(data, **request)
    assert checked.job is not None, InvalidJob(checked.problems)
    assert checked.problems == []
    return checked.job


def problems_of(data: object, **request: Any) -> list[Problem]:
    checked = check(data, **request)
    assert checked.job is None
    return list(checked.problems)


def problem_of(data: object, **request: Any) -> Problem:
    (problem,) = problems_of(data, **request)
    return problem


def with_train_args(**train_args: Any) -> dict[str, Any]:
    return {"job_detail": {"script_name": "train.py", "train_args": train_args}}


def train_args(**written: Any) -> TrainArgs:
    checked = job_of(with_train_args(**written)).job_detail.train_args
    assert checked is not None
    return checked


def train_args_problem(**written: Any) -> Problem:
    return problem_of(with_train_args(**written))
