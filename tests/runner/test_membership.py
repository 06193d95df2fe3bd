"""Which member a process is, and what it says when the job asks for others."""

import json
from pathlib import Path

import pytest

from runyard.cluster import MemberFlags
from runyard.config import JobRequest
from runyard.runner.membership import place_in_cluster
from runyard.runner.plan import plan_job
from runyard.script import Task

_SCRIPT = "def awf_create_model_fn(): ...\ndef awf_create_train_dataset_fn(): ...\n"
_TWO = {"worker": ["127.0.0.1:1", "127.0.0.1:2"]}


def _said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *asked: str, flags: MemberFlags | None = None
) -> list[str]:
    """What a process says that is told its place by the variable TF_CONFIG or by flags."""
    (tmp_path / "script.py").write_text(_SCRIPT)
    (tmp_path / "job.json").write_text(json.dumps({"script_name": "script.py", "train_args": {"losses": "mse"}}))
    plan = plan_job(JobRequest(job_file=tmp_path / "job.json", overrides=asked), tasks={Task.TRAIN})
    assert place_in_cluster(plan, flags=flags or MemberFlags()) is not None
    return capsys.readouterr().err.splitlines()


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (["num_workers=3"], "asked for are 3 workers, but TF_CONFIG describes 2 workers, and wins"),
        (["num_workers=1"], "asked for are 1 worker, but TF_CONFIG describes 2 workers, and wins"),
        (["num_pss=1"], "asked for are 2 workers and 1 parameter server, but TF_CONFIG describes 2 workers and no"),
    ],
)
def test_a_job_that_asks_for_another_cluster_is_told_who_wins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, asked: list[str], told: str
) -> None:
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": _TWO, "task": {"type": "worker", "index": 0}}))
    (line,) = _said(tmp_path, capsys, *asked)
    assert line.startswith(f"note: {told}")


def test_flags_are_named_where_they_win(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_CONFIG", "")
    flags = MemberFlags(job_name="worker", task_index="0", worker_hosts="127.0.0.1:1,127.0.0.1:2")
    (line,) = _said(tmp_path, capsys, "num_workers=4", flags=flags)
    assert "--worker_hosts describes 2 workers, and wins" in line


@pytest.mark.parametrize(("asked", "index"), [([], 0), (["num_workers=2", "num_pss=0"], 0), (["num_workers=5"], 1)])
def test_nothing_is_said_where_nothing_differs_and_by_others_than_the_chief(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, asked: list[str], index: int
) -> None:
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": _TWO, "task": {"type": "worker", "index": index}}))
    assert _said(tmp_path, capsys, *asked) == []
