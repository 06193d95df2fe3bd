"""Jobs for tests that start real processes."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.warm import WarmPopen

if TYPE_CHECKING:
    from runyard.runner.train import TrainResult

WATCHER = '''

class Watcher:
    """Kills the process, or sends it a signal, at the step that the environment names; keeps the last weights."""

    def on_steps(self, run):
        if "JOB_KILL_AT" not in os.environ:
            return
        for thread in threading.enumerate():
            # A checkpoint that is due while another is being written would be left out, now or then.
            if thread.name == "runyard-checkpoint":
                thread.join()
        if run.step >= int(os.environ["JOB_KILL_AT"]):
            os.kill(os.getpid(), int(os.environ.get("JOB_SIGNAL", signal.SIGKILL)))

    def on_train_end(self, run):
        np.savez(os.environ["JOB_WEIGHTS"], *run.model.get_weights())


def awf_observers_fn():
    return [Watcher()]
'''

SCRIPT = (
    '''
import os
import signal
import threading

import numpy as np
import tensorflow as tf

KERAS = tf.keras
if os.environ.get("JOB_KERAS") == "3":
    import keras as KERAS


class Noise(KERAS.layers.Layer):
    """Draws from Keras 3's global generator."""

    def call(self, x, training=False):
        return x + KERAS.random.normal((6,)) if training else x


def awf_create_model_fn(dropout=0.3, units=8, noise=False):
    inputs = KERAS.Input((6,))
    x = Noise()(inputs) if noise else inputs
    x = KERAS.layers.Dense(units, activation="relu")(x)
    x = KERAS.layers.BatchNormalization()(x)
    x = KERAS.layers.Dropout(dropout)(x)
    return KERAS.Model(inputs, KERAS.layers.Dense(1, activation="sigmoid", name="out")(x))


def dataset(rows, seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((rows, 6)).astype("float32")
    return tf.data.Dataset.from_tensor_slices((x, (x[:, 0] > 0).astype("float32")))


def awf_create_train_dataset_fn(rows=200, kind="shuffle"):
    data = dataset(rows, 0)
    if kind == "generator":
        def rows_of_generator():
            for x, y in dataset(rows, 0).as_numpy_iterator():
                yield x + 0.01 * np.random.standard_normal(6).astype("float32"), y
        return tf.data.Dataset.from_generator(rows_of_generator, output_signature=data.element_spec)
    if kind == "random_map":
        return data.map(lambda x, y: (x + tf.random.normal([6], seed=1), y))
    if kind == "two_shuffles":
        return data.shuffle(50).shuffle(100)
    if kind == "endless":
        return data.shuffle(rows).repeat()
    return data.shuffle(max(rows, 1))


def awf_create_val_dataset_fn(val_rows=50):
    return dataset(val_rows, 1)


def awf_group_trainable_vars_fn(model):
    return model.trainable_variables[:2], model.trainable_variables[2:]
'''
    + WATCHER
)

TRAIN_ARGS: dict[str, Any] = {
    "batch_size": 16,
    "epochs": 3,
    "losses": "bce",
    "metrics": ["auc", "acc"],
    "seed": 5,
    "steps_per_execution": 3,
    "checkpoint": {"every_steps": 6},
    "intra_op_paral": 1,
    "inter_op_paral": 1,
}


_AT_A_MOMENT = """
import sys
from datetime import datetime
from pathlib import Path

from runyard.config import JobRequest
from runyard.runner.train import TrainOptions, train

train(JobRequest(job_file=Path(sys.argv[1]), now=datetime.fromisoformat(sys.argv[2])), TrainOptions())
"""


def write_job(
    folder: Path, *, script: str = SCRIPT, detail: Mapping[str, Any] | None = None, **train_args: Any
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "script.py").write_text(script)
    job = {"script_name": "script.py", **(detail or {}), "train_args": {**TRAIN_ARGS, **train_args}}
    path = folder / "job.json"
    path.write_text(json.dumps(job))
    return path


def start_training(
    job: Path,
    *options: str,
    now: str | None = None,
    on: Sequence[str] = (),
    warm: bool = True,
    **environment: str,
) -> subprocess.Popen[str]:
    """The command `runyard train`, or what it does, at another moment than now.

    Args:
        on: words before the command that say where it runs.
        warm: with TensorFlow imported already. A command that starts workers imports none.
    """
    command = ["-m", "runyard", "train", str(job), *options] if now is None else ["-c", _AT_A_MOMENT, str(job), now]
    if warm and not on and "--workers" not in options:
        start: Any = WarmPopen
    else:
        start, command = subprocess.Popen, [*on, sys.executable, *command]
    return start(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "JOB_WEIGHTS": str(job.parent / "weights.npz"), **environment},
        start_new_session=True,
    )


def killed_training(job: Path, *, at: int, now: str | None = None, **environment: str) -> None:
    """A training that is killed at a step. It goes on from the last checkpoint that was due before."""
    done = run_training(job, now=now, JOB_KILL_AT=str(at), **environment)
    assert done.returncode == -signal.SIGKILL, done.stderr


def run_training(
    job: Path, *options: str, now: str | None = None, warm: bool = True, **environment: str
) -> subprocess.CompletedProcess[str]:
    process = start_training(job, *options, now=now, warm=warm, **environment)
    try:
        out, err = process.communicate(timeout=240)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def trained(job: Path, *options: str, now: str | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    done = run_training(job, *options, now=now, **environment)
    assert done.returncode == 0, done.stderr
    return done


def train_here(job: Path, **options: Any) -> "TrainResult":
    """A training in the process of the test; with what a command line may say."""
    from runyard.config import JobRequest
    from runyard.runner.train import TrainOptions, train

    return train(JobRequest(job_file=job), TrainOptions(**options))


def weights(job: Path) -> list[Any]:
    import numpy as np

    with np.load(job.parent / "weights.npz") as file:
        return [file[name] for name in file.files]


def metrics(job: Path) -> list[dict[str, Any]]:
    """The lines of metrics.jsonl without what depends on the clock."""
    lines = (job.parent / "metrics.jsonl").read_text().splitlines()
    clock = ("seconds", "samples_per_second")
    return [{k: v for k, v in json.loads(line).items() if k not in clock} for line in lines]


def result(job: Path) -> dict[str, Any]:
    """What the record of a finished run says came out of it."""
    record = json.loads((job.parent / "checkpoints" / "run.json").read_text())
    return {key: value for key, value in record["result"].items() if key != "models"}


def same_bits(first: list[Any], second: list[Any]) -> bool:
    return len(first) == len(second) and all(
        (a == b).all() and a.dtype == b.dtype for a, b in zip(first, second, strict=True)
    )


def wait_until(true: Callable[[], bool], process: subprocess.Popen[str], *, seconds: float = 90) -> None:
    """Waits for something that a running training does."""
    deadline = time.monotonic() + seconds
    while not true():
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.05)
