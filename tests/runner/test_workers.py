"""`runyard train --workers 2`: processes that are killed, stopped or fail, and what the job makes of it."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.runner.jobs import metrics, same_bits, train_here, write_job
from tests.runner.worker_jobs import WORKERS_SCRIPT, run, weights, write

pytestmark = pytest.mark.slow

_NOT_A_NUMBER = (
    WORKERS_SCRIPT
    + """

def awf_create_train_dataset_fn(num_shards, shard_index):
    data = dataset(100, 0).shard(num_shards, shard_index)
    return data.map(lambda x, y: (x * float("nan"), y)) if shard_index == 1 else data
"""
)


def test_workers_end_alike_and_the_chief_alone_writes(calm: Path) -> None:
    assert same_bits(weights(calm), weights(calm, name="weights.npz.other.npz"))
    assert len(metrics(calm)) == 3
    assert (calm.parent / "saved_model").exists()
    litter = [path.name for path in calm.parent.rglob("*") if "tmp" in path.name]
    assert litter == []
    assert sorted(path.name for path in (calm.parent / "logs").iterdir()) == ["worker-0.log", "worker-1.log"]


def test_workers_that_are_terminated_killed_and_stopped_change_nothing(calm: Path, tmp_path: Path) -> None:
    job = write(tmp_path / "job", restart={"hang_timeout": 4})
    signals = [(15, 4, False), (9, 9, True), (19, 15, False)]
    done = run(job, "--fresh", JOB_SIGNALS=json.dumps(signals), JOB_ENDS_IN_VALIDATION="1")
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"worker [01] was preempted; going on", done.stderr)) == 2
    assert "worker 0 was killed by SIGKILL; restart 1 of 3" in done.stderr
    assert "worker 1 has been silent for 4 s; restart" in done.stderr
    assert "Going on from the checkpoint at step 7 (epoch 1)" in done.stderr
    logs = [(tmp_path / "job" / "logs" / f"worker-{index}.log").read_text() for index in (0, 1)]
    assert all(log.count("terminated: everything up to here is saved") == 2 for log in logs), logs
    stacks = logs[0].split("the stacks of all threads follow")[1]
    assert "fit.py" in stacks
    assert same_bits(weights(calm), weights(job))
    assert metrics(calm) == metrics(job)


def test_numbers_that_are_none_on_one_worker_end_the_job(tmp_path: Path) -> None:
    job = write_job(tmp_path / "job", script=_NOT_A_NUMBER, detail={"num_workers": 2}, term_on_nan=True)
    done = run(job)
    assert done.returncode == 10, done.stderr
    assert "not finite in step 1 " in done.stderr
    assert "restart" not in done.stderr


def test_an_error_of_the_user_in_one_worker_is_shown_and_not_repeated(tmp_path: Path) -> None:
    done = run(write(tmp_path / "job"), JOB_RAISES="1")
    assert done.returncode == 4, done.stderr
    assert "trouble of the user" in done.stderr
    assert "script.py" in done.stderr
    assert "restart" not in done.stderr


def test_a_worker_whose_script_ends_it_is_named_as_the_cause(tmp_path: Path) -> None:
    ends = "\ndef awf_create_val_dataset_fn(is_chief):\n    return dataset(300, 1) if is_chief else os._exit(0)\n"
    done = run(write(tmp_path / "job", script=WORKERS_SCRIPT + ends))
    assert done.returncode == 4, done.stderr
    assert "error: worker 1 ended too early: with code 0, but before the training was over" in done.stderr
    assert "restart" not in done.stderr


def test_a_validation_on_the_chief_alone_is_refused(tmp_path: Path) -> None:
    alone = "\ndef awf_create_val_dataset_fn(is_chief):\n    return dataset(300, 1) if is_chief else None\n"
    done = run(write(tmp_path / "job", script=WORKERS_SCRIPT + alone))
    assert done.returncode == 3, done.stderr
    told = "awf_create_val_dataset_fn makes other validation sets on worker 1 than on worker 0: nothing"
    assert done.stderr.count(told) == 1, done.stderr
    assert "restart" not in done.stderr


@pytest.mark.parametrize(
    ("options", "shape"),
    [((), "2 workers"), (("--workers", "1", "--ps", "1"), "1 worker and 1 parameter server")],
    ids=["workers", "servers"],
)
def test_a_fast_dev_run_tries_all_processes_and_keeps_nothing(
    options: tuple[str, ...], shape: str, tmp_path: Path
) -> None:
    job = write(tmp_path / "job")
    before = {path.name for path in job.parent.iterdir()}
    done = run(job, "--fast-dev-run", *options)
    assert done.returncode == 0, done.stderr
    assert f"Done: everything ran once on {shape}, nothing was kept." in done.stdout
    assert "epoch 1/1: 2 batches" in done.stderr
    assert "val_loss" in done.stdout
    by_script = {path.name for path in job.parent.glob("weights.npz*")}
    assert {path.name for path in job.parent.iterdir()} - before - by_script == {"logs"}


def test_overfitting_takes_one_process_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    job = write(tmp_path / "job", epochs=1)
    monkeypatch.setenv("JOB_WEIGHTS", str(job.parent / "weights.npz"))
    train_here(job, overfit_batches=2)
    assert "note: --overfit-batches trains in one process, without the other workers" in capsys.readouterr().err


def test_one_worker_can_go_on_for_two(calm: Path, tmp_path: Path) -> None:
    job = Path(shutil.copytree(calm.parent, tmp_path / "job")) / calm.name
    done = run(job, "--workers", "1", "--set", "train_args.epochs=4")
    assert done.returncode == 0, done.stderr
    assert "began with 2 workers and goes on with 1" in done.stderr
    assert [line["step"] for line in metrics(job)] == [7, 14, 21, 28]
