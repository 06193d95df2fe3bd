"""What a run remembers of its start, and what a resume says about what has changed since."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from runyard.config.train_args import TrainArgs
from runyard.errors import CheckpointError
from runyard.runner.run_record import finished_message, is_complete, new_record, of_job_as_it_is, tell_changes, threads


def arguments(**written: Any) -> TrainArgs:
    return TrainArgs.model_validate({"losses": "bce", **written})


def job(**train_args: Any) -> dict[str, Any]:
    return {"job": {"job_detail": {"train_args": train_args}}}


def told(capfd: pytest.CaptureFixture[str], *, then: TrainArgs, now: TrainArgs, **changed: Any) -> str:
    record = new_record(seed=1, now=datetime(2024, 1, 1), job=job(epochs=1), args=then)
    tell_changes(record, job=job(**{"epochs": 1, **changed}), args=now)
    return capfd.readouterr().err


def test_other_threads_are_told_once_and_with_what_they_mean(capfd: pytest.CaptureFixture[str]) -> None:
    said = told(capfd, then=arguments(intra_op_paral=4), now=arguments(intra_op_paral=2), intra_op_paral=2)
    assert said.count("note:") == 1
    assert "intra 4 -> 2" in said
    assert "same bits" in said


def test_a_job_without_a_number_has_the_threads_of_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_NUM_INTRAOP_THREADS", "7")
    monkeypatch.delenv("TF_NUM_INTEROP_THREADS", raising=False)
    assert threads(arguments())["intra"] == 7
    assert threads(arguments())["inter"] >= 1
    assert threads(arguments(intra_op_paral=3))["intra"] == 3


def test_nothing_is_said_where_nothing_has_changed(capfd: pytest.CaptureFixture[str]) -> None:
    assert told(capfd, then=arguments(), now=arguments()) == ""
    assert told(capfd, then=arguments(), now=arguments(), epochs=5) == ""


def test_other_settings_are_told_and_other_data_refused(capfd: pytest.CaptureFixture[str]) -> None:
    said = told(capfd, then=arguments(), now=arguments(), term_on_nan=True)
    assert "job.job_detail.train_args.term_on_nan" in said
    with pytest.raises(CheckpointError, match="batch_size"):
        told(capfd, then=arguments(), now=arguments(), batch_size=8)


def test_other_data_are_fine_until_there_is_a_checkpoint(tmp_path: Path) -> None:
    then, now = arguments(batch_size=4, intra_op_paral=2), arguments(batch_size=8, intra_op_paral=1)
    record = new_record(seed=1, now=datetime(2024, 1, 1), job=job(batch_size=4), args=then, shards=3)
    mended = of_job_as_it_is(record, job=job(batch_size=8), args=now, directory=tmp_path)
    assert mended == replace(record, job=job(batch_size=8), threads=threads(now))
    assert of_job_as_it_is(record, job=job(), args=arguments(seed=7), directory=tmp_path).seed == 7
    (tmp_path / "step-000000000010").mkdir()
    with pytest.raises(CheckpointError, match="batch_size"):
        of_job_as_it_is(record, job=job(batch_size=8), args=now, directory=tmp_path)


@pytest.mark.parametrize(
    ("reason", "way_on"),
    [("1 step done", "--max-steps"), ("20 steps done", "--max-steps"), ("1 epoch done", "train_args.epochs")],
)
def test_a_finished_run_says_how_to_go_on(reason: str, way_on: str, tmp_path: Any) -> None:
    record = new_record(seed=1, now=datetime(2024, 1, 1), job={}, args=arguments())
    result = {"reason": reason, "epochs": 1, "step": 1, "stopped_early": False, "results": {}, "models": ["m"]}
    message = finished_message(record.with_result(result), directory=tmp_path, continues=False)
    assert f"To go on, raise {way_on}" in message


def test_a_run_is_complete_when_it_has_all_that_is_asked_for() -> None:
    record = new_record(seed=1, now=datetime(2024, 1, 1), job={}, args=arguments())
    done = record.with_result({"epochs": 2, "step": 8, "stopped_early": False})
    assert not is_complete(record, args=arguments(epochs=2), max_steps=None)
    assert is_complete(done, args=arguments(epochs=2), max_steps=None)
    assert not is_complete(done, args=arguments(epochs=3), max_steps=None)
    assert is_complete(done, args=arguments(epochs=3), max_steps=8)
