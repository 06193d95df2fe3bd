"""A killed run, started again with the same command, ends as if it had never been killed."""

import contextlib
import os
import random
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.runner.jobs import (
    SCRIPT,
    killed_training,
    metrics,
    run_training,
    same_bits,
    start_training,
    trained,
    wait_until,
    weights,
    write_job,
)

pytestmark = pytest.mark.slow

STOPPING = {"early_stopping": {"monitor": "val_loss", "patience": 1}}
TWO = {"optimizer": ["adam", {"type": "sgd", "args": {"learning_rate": 0.01}}]}
VARIANTS: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, str]]] = {
    "keras 2": ({}, {}, {}),
    "keras 3": ({}, {}, {"JOB_KERAS": "3"}),
    "two optimizers and early stopping": ({}, {**TWO, **STOPPING}, {}),
    "accumulation, average": ({}, {"gradient": {"accumulate_steps": 4}, "ema": {"momentum": 0.9}}, {}),
    "generator": ({"train_data_args": {"kind": "generator"}}, {}, {}),
    "random map": ({"train_data_args": {"kind": "random_map"}}, {}, {}),
    "two shuffles": ({"train_data_args": {"kind": "two_shuffles"}}, {}, {}),
    "keras 3 drawing without a layer": ({"model_args": {"noise": True}}, {}, {"JOB_KERAS": "3"}),
    "endless": ({"train_data_args": {"kind": "endless"}}, {"num_samples": 200}, {}),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_a_run_killed_twice_ends_with_the_bits_of_an_undisturbed_one(name: str, tmp_path: Path) -> None:
    detail, train_args, environment = VARIANTS[name]
    calm = write_job(tmp_path / "calm", detail=detail, **train_args)
    trained(calm, **environment)
    killed = write_job(tmp_path / "killed", detail=detail, **train_args)
    for step in (8, 21):
        killed_training(killed, at=step, **environment)
    done = trained(killed, **environment)
    assert "Going on from the checkpoint at step 18" in done.stderr
    assert same_bits(weights(calm), weights(killed))
    assert metrics(calm) == metrics(killed)
    if name in ("generator", "random map"):
        assert "again" in done.stderr


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The usual job, undisturbed."""
    job = write_job(tmp_path_factory.mktemp("calm"))
    trained(job)
    return job


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 143), (signal.SIGINT, 130)])
def test_a_signal_saves_and_exits_and_the_run_goes_on(
    number: signal.Signals, code: int, tmp_path: Path, calm: Path
) -> None:
    job = write_job(tmp_path / "job", checkpoint={"every_steps": None, "every_seconds": None, "every_epochs": None})
    done = run_training(job, "--fresh", JOB_KILL_AT="10", JOB_SIGNAL=str(int(number)))
    assert done.returncode == code, done.stderr
    assert "everything up to here is saved; the same command without --fresh goes on" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Going on from the checkpoint" in trained(job).stderr
    assert same_bits(weights(calm), weights(job))


def test_a_damaged_checkpoint_is_passed_over(tmp_path: Path, calm: Path) -> None:
    job = write_job(tmp_path / "job")
    killed_training(job, at=21)
    newest = sorted((tmp_path / "job" / "checkpoints").glob("step-*"))[-1]
    data = next(newest.glob("*.data-*"))
    data.write_bytes(data.read_bytes()[:-7] + b"garbage")
    done = trained(job)
    assert "is damaged" in done.stderr
    assert newest.name in done.stderr
    assert same_bits(weights(calm), weights(job))


def test_a_changed_model_is_explained_and_nothing_is_overwritten(tmp_path: Path) -> None:
    job = write_job(tmp_path / "job")
    killed_training(job, at=21)
    before = sorted(path.name for path in (tmp_path / "job" / "checkpoints").iterdir())
    done = run_training(write_job(tmp_path / "job", detail={"model_args": {"units": 9}}))
    assert done.returncode == 7
    assert "changed: model/00000/dense/kernel was (6, 8) float32, is (6, 9) float32" in done.stderr
    assert sorted(path.name for path in (tmp_path / "job" / "checkpoints").iterdir()) == before


def test_a_finished_job_says_so_and_more_epochs_go_on(tmp_path: Path) -> None:
    long = write_job(tmp_path / "long", epochs=4)
    trained(long)
    job = write_job(tmp_path / "job", epochs=2)
    trained(job)
    again = trained(job, "--set", "model_args.units=9")
    assert "nothing is trained: job.job_detail.model_args.units; --fresh trains the job as it is now" in again.stderr
    assert "This run is finished" in again.stderr
    assert "--fresh" in again.stderr
    trained(write_job(tmp_path / "job", epochs=4))
    assert same_bits(weights(long), weights(job))
    assert metrics(long) == metrics(job)


def test_fresh_starts_over(tmp_path: Path) -> None:
    job = write_job(tmp_path / "job", seed=None)
    trained(job)
    first = weights(job)
    done = trained(job, "--fresh")
    assert "finished" not in done.stderr
    assert not same_bits(first, weights(job))
    assert len(metrics(job)) == 3


def test_a_second_run_in_the_same_directory_is_refused_while_the_first_lives(tmp_path: Path) -> None:
    job = write_job(tmp_path / "job", epochs=100_000)
    first = start_training(job)
    try:
        wait_until(lambda: bool(list((tmp_path / "job" / "checkpoints").glob("step-*"))), first)
        second = run_training(job)
        assert second.returncode == 8
        assert f"process {first.pid}" in second.stderr
    finally:
        first.kill()
        first.communicate()
    assert run_training(job, "--max-steps", "5").returncode == 0


def test_a_run_killed_at_random_moments_ends_with_the_bits_of_an_undisturbed_one(tmp_path: Path) -> None:
    """A few kills here; `make soak` makes it many. The seed of the moments is fixed, the moments are not quite."""
    kills = int(os.environ.get("RUNYARD_KILLS", "3"))
    train_args: dict[str, Any] = {"epochs": 30, "checkpoint": {"every_steps": 5, "every_seconds": 0.05}, **TWO}
    slowed = SCRIPT.replace("    def on_steps(self, run):", "    def on_steps(self, run):\n        time.sleep(0.02)")
    slowed = slowed.replace("import signal\n", "import signal\nimport time\n", 1)
    calm = write_job(tmp_path / "calm", script=slowed, **train_args)
    trained(calm)
    job = write_job(tmp_path / "job", script=slowed, **train_args)
    moments = random.Random(7)
    for _ in range(kills):
        process = start_training(job, warm=False)
        # Any moment: while TensorFlow is imported, between a checkpoint's files, while the model is saved.
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=moments.uniform(0.5, 9.0))
        process.kill()
        process.communicate()
    trained(job)
    assert same_bits(weights(calm), weights(job))
    assert metrics(calm) == metrics(job)
    litter = [
        path.name for path in (tmp_path / "job" / "checkpoints").iterdir() if path.name.endswith((".tmp", ".old"))
    ]
    assert litter == []
