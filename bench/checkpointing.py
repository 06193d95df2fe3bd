"""How long a checkpoint of 200 MB holds up the loop, and how long a run needs to get back into an epoch."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench.pairs import ROUNDS, Comparison
from runyard.bridge import start_tensorflow

tf = start_tensorflow()

from runyard.checkpoint.state import VariableState, take_snapshot  # noqa: E402
from runyard.checkpoint.store import CheckpointStore  # noqa: E402
from runyard.config.train_args import Checkpoint  # noqa: E402
from runyard.training.checkpoints import Checkpoints  # noqa: E402

MEGABYTES = 200
STEPS_BETWEEN = 50


def blocked() -> Comparison:
    """Time in the loop's own thread for one checkpoint against writing it at once, with fsync and digest."""
    variables = {str(n): tf.Variable(tf.random.normal([MEGABYTES * 2**20 // 4 // 8])) for n in range(8)}
    step = tf.function(lambda: [variable.assign_add(tf.ones_like(variable)) for variable in variables.values()])
    parts = {"model": VariableState(variables)}
    ours: list[float] = []
    theirs: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        config = Checkpoint(every_steps=STEPS_BETWEEN, every_seconds=None, every_epochs=None)
        checkpoints = Checkpoints(Path(folder) / "ours", config=config, parts=parts, published=lambda path: None)
        store = CheckpointStore(Path(folder) / "theirs", keep=3)
        for number in range(1, ROUNDS + 1):
            step()
            started = time.perf_counter()
            if checkpoints.due(step=number * STEPS_BETWEEN):
                checkpoints.begin(step=number * STEPS_BETWEEN)
            ours.append(time.perf_counter() - started)
            step()
            checkpoints.wait()
            started = time.perf_counter()
            store.write(take_snapshot(parts), step=number)
            theirs.append(time.perf_counter() - started)
        _refuse_other_numbers(_newest(Path(folder) / "ours"), _newest(Path(folder) / "theirs"))
    ratios = [other / mine for mine, other in zip(ours, theirs, strict=True)]
    return Comparison(
        f"checkpoint of {MEGABYTES} MB: written at once against time blocked",
        ratios,
        1000 * statistics.median(ours),
        1000 * statistics.median(theirs),
        "ms",
        target=10.0,
    )


def _newest(directory: Path) -> dict[str, Any]:
    """The tensors of the newest checkpoint, whose digests are checked."""
    found = CheckpointStore(directory, keep=3).newest(warn=sys.exit)
    if found is None:
        sys.exit(f"there is no checkpoint in {directory}")
    return dict(found.load().tensors)


def _refuse_other_numbers(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """One step lies between the two: ours must hold what was there before it, though it was written after it."""
    differing = [name for name in theirs if not np.array_equal(ours[name].numpy() + np.float32(1), theirs[name])]
    if differing or list(ours) != list(theirs):
        sys.exit(f"the two sides wrote different numbers: {differing or [*ours, *theirs]}")


SCRIPT = """
import os, time
import numpy as np
import tensorflow as tf


def awf_create_model_fn():
    return tf.keras.Sequential([tf.keras.Input((32,)), tf.keras.layers.Dense(64, "relu"), tf.keras.layers.Dense(1)])


def awf_create_train_dataset_fn():
    x = np.random.default_rng(0).standard_normal((200_000, 32)).astype("float32")
    return tf.data.Dataset.from_tensor_slices((x, x[:, :1])).shuffle(10_000)


class FirstStep:
    def on_steps(self, run):
        print("first step after", time.time() - float(os.environ["STARTED"]), flush=True)
        os._exit(0)


def awf_observers_fn():
    return [FirstStep()] if "STARTED" in os.environ else []
"""


def resume() -> Comparison:
    """Seconds from the start of the process to the first step: cold, and at 90 % of an epoch."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "script.py").write_text(SCRIPT)
        args = {"losses": "mse", "batch_size": 100, "epochs": 2, "seed": 1}
        (home / "job.json").write_text(json.dumps({"script_name": "script.py", "train_args": args}))
        _run(home, "--data-path", str(home / "kept"), "--max-steps", "1800")
        _refuse_other_end(home)
        warm, cold = [], []
        for number in range(ROUNDS):
            shutil.copytree(home / "kept", home / f"warm{number}")
            cold.append(_seconds(home, "--data-path", str(home / f"cold{number}")))
            warm.append(_seconds(home, "--data-path", str(home / f"warm{number}")))
    ratios = [b / a for a, b in zip(warm, cold, strict=True)]
    return Comparison(
        "time to the first step: cold start against resume at 90 %",
        ratios,
        1000 * statistics.median(warm),
        1000 * statistics.median(cold),
        "ms",
        target=1 / 1.2,
    )


def _refuse_other_end(home: Path) -> None:
    """A run that goes on at 90 % must get where one that was never interrupted gets, bit by bit."""
    shutil.copytree(home / "kept", home / "resumed")
    ends: list[dict[str, Any]] = []
    for name in ("resumed", "straight"):
        _run(home, "--data-path", str(home / name), "--max-steps", "1850")
        ends.append(
            {key: value for key, value in _newest(home / name / "checkpoints").items() if key.startswith("model/")}
        )
    resumed, straight = ends
    differing = [name for name in straight if not np.array_equal(resumed[name], straight[name])]
    if differing or not straight:
        sys.exit(f"a resumed run ends with other weights than an uninterrupted one: {differing}")


def _run(home: Path, *options: str, **environment: str) -> str:
    command = [sys.executable, "-m", "runyard", "train", str(home / "job.json"), *options]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def _seconds(home: Path, *options: str) -> float:
    out = _run(home, *options, STARTED=str(time.time()))
    return float(out.split("first step after")[1].split()[0])


def comparisons() -> Iterator[Comparison]:
    yield blocked()
    yield resume()
