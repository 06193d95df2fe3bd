"""`runyard train --workers 2 --ps 1`: what comes out of it, and processes that are killed or stopped."""

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from runyard.cluster import Layout, Place
from runyard.cluster.ports import HeldPorts
from tests.runner.jobs import metrics, result, start_training, train_here, write_job
from tests.warm import WarmPopen

pytestmark = pytest.mark.slow

_SCRIPT = '''
import json
import os
import signal
import threading
import time

import numpy as np
import tensorflow as tf

KERAS = tf.keras
if os.environ.get("JOB_KERAS") == "3":
    import keras as KERAS


def awf_create_model_fn():
    inputs = KERAS.Input((6,))
    start = KERAS.initializers.Constant(0.1)
    return KERAS.Model(inputs, KERAS.layers.Dense(1, "sigmoid", name="out", kernel_initializer=start)(inputs))


def dataset(rows, seed):
    x = np.random.default_rng(seed).standard_normal((rows, 6)).astype("float32")
    return tf.data.Dataset.from_tensor_slices((x, (x[:, 0] > 0.2).astype("float32")))


def awf_create_train_dataset_fn(rows=193):
    return dataset(rows, 0).shuffle(rows).map(lambda x, y: (x * 1.0, y))


def awf_create_val_dataset_fn():
    return dataset(50, 1)


class Trouble:
    """Kills members of the job, and asks the whole job to stop, each once, at the step that is named."""

    def on_steps(self, run):
        for thread in threading.enumerate():
            # A checkpoint of which nothing is on disk yet would be lost with the killed members.
            if thread.name == "runyard-checkpoint":
                thread.join()
        kill, stop = json.loads(os.environ.get("JOB_TROUBLE", "[1000, 1000]"))
        if run.step >= kill and self.is_first("killed"):
            for process in reversed(siblings()):
                if role_of(process) in ("worker", "ps"):
                    os.kill(process, signal.SIGKILL)
        elif run.step >= stop and self.is_first("stopped"):
            told = []
            before = signal.getsignal(signal.SIGTERM)
            signal.signal(signal.SIGTERM, lambda *signal: told.append(before(*signal)))
            os.kill(os.getppid(), signal.SIGTERM)
            while not told:
                time.sleep(0.01)
            signal.signal(signal.SIGTERM, before)

    def is_first(self, name):
        flag = os.path.join(os.environ["JOB_FOLDER"], name)
        if os.path.exists(flag):
            return False
        open(flag, "w").close()
        return True


def siblings():
    parent = os.getppid()
    with open(f"/proc/{parent}/task/{parent}/children") as file:
        return [int(process) for process in file.read().split()]


def role_of(process):
    with open(f"/proc/{process}/environ") as file:
        found = dict(pair.partition("=")[::2] for pair in file.read().split("\\0"))
    return json.loads(found["TF_CONFIG"])["task"]["type"] if "TF_CONFIG" in found else None


def awf_observers_fn():
    return [Trouble()]
'''


def write(folder: Path, *, rate: float, **train_args: Any) -> Path:
    """193 rows are 7 batches for one worker and 6 for the other."""
    detail = {"num_workers": 2, "num_pss": 1}
    optimizer = {"type": "sgd", "args": {"learning_rate": rate}}
    train_args = {"optimizer": optimizer, "checkpoint": {"every_steps": 5, "every_epochs": None}, **train_args}
    return write_job(folder, script=_SCRIPT, detail=detail, **train_args)


def finished(process: "subprocess.Popen[str]") -> tuple[int, str]:
    """The exit code, and what was said."""
    try:
        said = process.communicate(timeout=200)[1]
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return process.returncode, said


def run(job: Path, **environment: str) -> tuple[int, str]:
    return finished(start_training(job, JOB_FOLDER=str(job.parent), **environment))


def test_members_may_be_killed_and_the_job_stopped_and_every_row_still_counts_once(tmp_path: Path) -> None:
    """With a rate of 0 weights stay as they are: the loss of an epoch is that of its rows, in whatever order."""
    alone = write(tmp_path / "alone", rate=0.0)
    train_here(write_job(alone.parent, script=_SCRIPT, optimizer={"type": "sgd", "args": {"learning_rate": 0.0}}))
    job = write(tmp_path / "job", rate=0.0)
    code, said = run(job, JOB_KERAS="3", JOB_TROUBLE="[9, 24]")
    assert code == 128 + signal.SIGTERM, said
    assert "was killed by SIGKILL; restart 1 of 3" in said
    assert said.count("Going on from the checkpoint") == 1
    assert "everything up to here is saved" in said
    code, said = run(job, JOB_KERAS="3")
    assert code == 0, said
    assert "Going on from the checkpoint" in said
    found, expected = metrics(job), metrics(alone)
    assert [line["step"] for line in found] == [13, 26, 39]
    for mine, theirs in zip(found, expected, strict=True):
        for name in ("loss", "auc", "acc", "val_loss", "val_auc", "val_acc"):
            assert mine[name] == pytest.approx(theirs[name], abs=1e-5), name
    names = ["chief-0.log", "ps-0.log", "worker-0.log", "worker-1.log"]
    assert sorted(path.name for path in (job.parent / "logs").iterdir()) == names
    assert (job.parent / "saved_model" / "model.json").exists()
    assert [path.name for path in job.parent.rglob("*") if "tmp" in path.name] == []


def test_a_cluster_of_others_without_a_chief_is_driven_by_worker_0_and_learns_as_one_process_does(
    tmp_path: Path,
) -> None:
    alone = write_job(tmp_path / "alone", script=_SCRIPT, optimizer={"type": "sgd", "args": {"learning_rate": 0.5}})
    train_here(alone)
    job = write(tmp_path / "job", rate=0.5)
    with HeldPorts(3) as ports:
        cluster = Layout(workers=2, ps=1, chief=False).on(ports.numbers)
    processes = [
        WarmPopen(
            ["-m", "runyard", "train", str(job)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "JOB_KERAS": "3", "TF_CONFIG": Place(cluster, member).tf_config()},
            start_new_session=True,
        )
        for member in cluster.members()
    ]
    try:
        ends = [finished(process) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    assert [code for code, _ in ends] == [0, 0, 0], ends
    assert "epoch 1/3: 13 batches" in ends[0][1]
    assert result(job)["step"] == 39
    found, expected = metrics(job)[-1], metrics(alone)[-1]
    assert found["val_acc"] > 0.8
    assert found["val_loss"] == pytest.approx(expected["val_loss"], abs=0.05)
    assert (job.parent / "saved_model").exists()
