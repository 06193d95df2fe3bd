"""`runyard train --workers 2`: processes that are killed, stopped or fail, and what the job makes of it."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.runner.jobs import SCRIPT, metrics, run_training, same_bits, write_job

pytestmark = pytest.mark.slow

_WATCHER = '''

class Trouble:
    """Sends each signal of JOB_SIGNALS once, to the chief or to the other, at the step it names; keeps the weights."""

    def on_steps(self, run):
        for number, step, chief in json.loads(os.environ.get("JOB_SIGNALS", "[]")):
            flag = os.environ["JOB_WEIGHTS"] + f".{step}"
            if run.is_chief == chief and run.step >= step and not os.path.exists(flag):
                open(flag, "w").close()
                os.kill(os.getpid(), number)
                return
        if not run.is_chief and "JOB_RAISES" in os.environ:
            raise ValueError("trouble of the user")

    def on_train_end(self, run):
        np.savez(os.environ["JOB_WEIGHTS"] + ("" if run.is_chief else ".other"), *run.model.get_weights())


def awf_observers_fn():
    return [Trouble()]
'''

WORKERS_SCRIPT = (
    SCRIPT[: SCRIPT.index("\n\nclass Watcher")].replace("import os\n", "import json\nimport os\n", 1) + _WATCHER
)

_NOT_A_NUMBER = (
    WORKERS_SCRIPT
    + """

def awf_create_train_dataset_fn(num_shards, shard_index):
    data = dataset(100, 0).shard(num_shards, shard_index)
    return data.map(lambda x, y: (x * float("nan"), y)) if shard_index == 1 else data
"""
)


def write(folder: Path, *, script: str = WORKERS_SCRIPT, **train_args: Any) -> Path:
    """A job of uneven shards (7 and 6 batches). Its first checkpoint is where the data of worker 1 have ended."""
    detail = {"num_workers": 2, "train_data_args": {"rows": 193}}
    checkpoint = {"every_steps": 6, "every_epochs": None}
    return write_job(folder, script=script, detail=detail, **{"checkpoint": checkpoint, **train_args})


def run(job: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_training(job, *options, **{"JOB_KERAS": "3", **environment})


def weights(job: Path, *, name: str = "weights.npz") -> list[Any]:
    with np.load(job.parent / name) as file:
        return [file[key] for key in file.files]


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An undisturbed run."""
    job = write(tmp_path_factory.mktemp("calm"))
    done = run(job)
    assert done.returncode == 0, done.stderr
    assert "epoch 3/3" in done.stderr
    return job


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
    # The supervisor gives the second one a few seconds to end, which it may need for more than its last line.
    assert any("terminated: everything up to here is saved" in log for log in logs), logs
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


def test_parameter_servers_in_tf_config_are_refused(calm: Path) -> None:
    cluster = {"worker": ["127.0.0.1:1", "127.0.0.1:2"], "ps": ["127.0.0.1:3"]}
    config = {"cluster": cluster, "task": {"type": "worker", "index": 0}}
    done = run(calm, TF_CONFIG=json.dumps(config))
    assert done.returncode == 11
    assert "parameter servers" in done.stderr
    assert "TF_CONFIG" not in os.environ
