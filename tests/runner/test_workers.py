"""`runyard train --workers 2`: processes that are killed, stopped or fail, and what the job makes of it."""

import json
import shutil
from pathlib import Path

import pytest

from tests.runner.jobs import metrics, same_bits, write_job
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


def test_workers_that_are_terminated_and_killed_change_nothing(calm: Path, tmp_path: Path) -> None:
    job = write(tmp_path / "job")
    signals = [(15, 4, False), (9, 9, True), (9, 14, False)]
    done = run(job, "--fresh", JOB_SIGNALS=json.dumps(signals))
    assert done.returncode == 0, done.stderr
    assert "worker 1 was preempted" in done.stderr or "worker 0 was preempted" in done.stderr
    assert "worker 0 was killed by SIGKILL; restart 1 of 3" in done.stderr
    assert "worker 1 was killed by SIGKILL; restart" in done.stderr
    assert done.stderr.count("Going on from the checkpoint at step 6 (epoch 1)") == 2
    logs = [(tmp_path / "job" / "logs" / f"worker-{index}.log").read_text() for index in (0, 1)]
    assert all(log.count("terminated: everything up to here is saved") == 1 for log in logs), logs
    assert same_bits(weights(calm), weights(job))
    assert metrics(calm) == metrics(job)


def test_a_worker_that_is_stopped_and_one_that_is_terminated_in_a_validation_change_nothing(
    calm: Path, tmp_path: Path
) -> None:
    job = write(tmp_path / "job", restart={"hang_timeout": 4})
    done = run(job, JOB_ENDS_IN_VALIDATION="1", JOB_SIGNALS=json.dumps([(19, 9, False)]))
    assert done.returncode == 0, done.stderr
    assert "was preempted" in done.stderr
    assert "worker 1 has been silent for 4 s; restart 1 of 3" in done.stderr
    logs = [(tmp_path / "job" / "logs" / f"worker-{index}.log").read_text() for index in (0, 1)]
    assert all(log.count("terminated: everything up to here is saved") == 1 for log in logs), logs
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


def test_one_worker_can_go_on_for_two_and_three_cannot(calm: Path, tmp_path: Path) -> None:
    job = Path(shutil.copytree(calm.parent, tmp_path / "job")) / calm.name
    done = run(job, "--workers", "1", "--set", "train_args.epochs=4")
    assert done.returncode == 0, done.stderr
    assert "began with 2 workers and goes on with 1" in done.stderr
    assert [line["step"] for line in metrics(job)] == [7, 14, 21, 28]
    done = run(job, "--workers", "3", "--set", "train_args.epochs=5")
    assert done.returncode == 7
    assert "this run began with 2 workers" in done.stderr
    assert "cannot go on with 3" in done.stderr
