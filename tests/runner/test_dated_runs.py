"""A run that was begun under another date, found again."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from runyard.checkpoint.lock import RunLock
from runyard.checkpoint.record import RunRecord
from runyard.config import JobRequest
from runyard.runner.dated_runs import begun_under_another_date
from runyard.runner.plan import plan_job
from tests.runner.jobs import killed_training, trained, write_job

SCRIPT = """
def awf_create_model_fn(): ...
def awf_create_train_dataset_fn(): ...
"""
MONDAY, TUESDAY, WEDNESDAY = (datetime(2024, 2, day, 23, 50) for day in (26, 27, 28))


def found_on(now: datetime, job: Path) -> datetime | None:
    request = JobRequest(job_file=job, now=now)
    record = begun_under_another_date(request, plan_job(request))
    return record.moment if record else None


def begin(job: Path, directory: str, *, now: datetime, result: dict[str, object] | None = None) -> Path:
    folder = job.parent / directory
    folder.mkdir(parents=True)
    RunRecord(1, now.isoformat(), {}, {}, {}, result=result).write(folder)
    return folder


@pytest.fixture
def job(tmp_path: Path) -> Path:
    folder = tmp_path / "with [brackets] and *"
    folder.mkdir()
    (folder / "script.py").write_text(SCRIPT)
    path = folder / "job.json"
    train_args = {"losses": "mse", "ckpt_path": "${DATA_PATH}$/ckpt/${DATE:%Y-%m}$/day_${DATE}$"}
    path.write_text(json.dumps({"script_name": "script.py", "train_args": train_args}))
    return path


def test_nothing_has_begun(job: Path) -> None:
    assert found_on(TUESDAY, job) is None


def test_the_newest_unfinished_run_is_found(job: Path) -> None:
    begin(job, "ckpt/2024-02/day_20240226", now=MONDAY)
    begin(job, "ckpt/2024-02/day_20240227", now=TUESDAY)
    assert found_on(WEDNESDAY, job) == TUESDAY


def test_a_finished_run_is_left_alone(job: Path) -> None:
    begin(job, "ckpt/2024-02/day_20240226", now=MONDAY, result={"reason": "1 epoch done"})
    assert found_on(TUESDAY, job) is None


def test_the_run_of_today_comes_first(job: Path) -> None:
    begin(job, "ckpt/2024-02/day_20240226", now=MONDAY)
    begin(job, "ckpt/2024-02/day_20240227", now=TUESDAY)
    assert found_on(TUESDAY, job) is None


def test_a_living_run_is_left_alone(job: Path) -> None:
    folder = begin(job, "ckpt/2024-02/day_20240226", now=MONDAY)
    with RunLock(folder):
        assert found_on(TUESDAY, job) is None
    assert found_on(TUESDAY, job) == MONDAY


def test_a_record_that_belongs_elsewhere_is_left_alone(job: Path) -> None:
    begin(job, "ckpt/2024-02/day_of_another_job", now=MONDAY)
    (begin(job, "ckpt/2024-02/day_20240225", now=MONDAY) / "run.json").write_text("{")
    assert found_on(TUESDAY, job) is None


def test_a_path_without_a_date_is_not_searched(job: Path) -> None:
    job.write_text(job.read_text().replace("day_${DATE}$", "x").replace("${DATE:%Y-%m}$", "y"))
    begin(job, "ckpt/y/x", now=MONDAY)
    assert found_on(TUESDAY, job) is None


@pytest.mark.slow
def test_the_same_command_goes_on_after_midnight(tmp_path: Path) -> None:
    job = write_job(tmp_path, ckpt_path="ckpt/${DATE}$")
    killed_training(job, at=3, now="2024-02-28T23:58:00")
    said = trained(job, now="2024-02-29T00:01:00").stderr
    assert "Going on with the run of 2024-02-28 23:58, which is not finished; --fresh begins today's." in said
    assert [path.name for path in (tmp_path / "ckpt").iterdir()] == ["20240228"]
