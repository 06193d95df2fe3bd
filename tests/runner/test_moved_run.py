"""A job folder that is elsewhere than when its run began."""

import shutil
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from runyard.config.paths import JobPaths
from runyard.config.train_args import TrainArgs
from runyard.runner.moved_run import as_if_begun_here
from runyard.runner.run_record import new_record
from tests.runner.jobs import SCRIPT, metrics, same_bits, train_here, weights, write_job

_DATA_OF_A_FILE = SCRIPT.replace("def awf_create_train_dataset_fn(", "def awf_create_train_dataset_fn(file, ")


def job_at(pack: str, data: str) -> dict[str, Any]:
    detail = {"files": [f"{data}/a.csv", f"{data}2/b.csv", data], "batch": 4, "code": f"{pack}/net.py"}
    return {"pack_path": pack, "data_path": data, "job": detail}


@pytest.mark.parametrize(("directory", "moved"), [("/new/data/checkpoints", True), ("/fast/checkpoints", False)])
def test_paths_of_the_job_are_those_of_today_if_the_checkpoints_came_along(directory: str, moved: bool) -> None:
    args = TrainArgs.model_validate({"losses": "bce"})
    record = new_record(seed=1, now=datetime(2024, 1, 1), job=job_at("/old/code", "/old/data"), args=args)
    record = record.with_result({"models": ["/old/data/saved_model"]})
    paths = JobPaths(pack=Path("/new/code"), data=Path("/new/data"))
    found = as_if_begun_here(record, paths=paths, directory=Path(directory))
    if not moved:
        assert found == record
        return
    expected = job_at("/new/code", "/new/data")
    expected["job"]["files"][1] = "/old/data2/b.csv"
    assert found.job == expected
    assert found.result == {"models": ["/new/data/saved_model"]}


def test_a_run_goes_on_where_its_folder_is_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    detail = {"train_data_args": {"file": "${DATA_PATH}$/train.csv"}}
    jobs = [write_job(tmp_path / name, script=_DATA_OF_A_FILE, detail=detail) for name in ("calm", "begun")]
    for job, max_steps in zip(jobs, (None, 16), strict=True):
        monkeypatch.setenv("JOB_WEIGHTS", str(job.parent / "weights.npz"))
        train_here(job, max_steps=max_steps)
    moved = Path(shutil.move(jobs[1].parent, tmp_path / "moved")) / jobs[1].name
    monkeypatch.setenv("JOB_WEIGHTS", str(moved.parent / "weights.npz"))
    capsys.readouterr()
    train_here(moved)
    said = capsys.readouterr().err
    assert "Going on from the checkpoint at step 16" in said
    assert "has changed" not in said
    assert same_bits(weights(jobs[0]), weights(moved))
    assert metrics(jobs[0]) == metrics(moved)
