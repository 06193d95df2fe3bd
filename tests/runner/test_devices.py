"""`train_args.devices`: the batches of a process divided among its devices."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runyard.errors import PlatformError
from runyard.runner.devices import ProcessHere, gpus_of
from tests.runner.jobs import train_here, trained, write_job

_SCRIPT = """
import os

import numpy as np
import tensorflow as tf

KERAS = tf.keras
if os.environ.get("JOB_KERAS") == "3":
    import keras as KERAS


def awf_create_model_fn():
    inputs = KERAS.Input((3,))
    return KERAS.Model(inputs, KERAS.layers.Dense(1)(KERAS.layers.Dense(4, activation="tanh")(inputs)))


def awf_create_train_dataset_fn(batch_size):
    x = np.random.default_rng(0).standard_normal((50, 3)).astype("float32")
    with open(os.environ["JOB_BATCHES"], "a") as file:
        file.write(f"{batch_size}\\n")
    return tf.data.Dataset.from_tensor_slices((x, x.sum(1))).batch(batch_size)


def awf_create_val_dataset_fn(batch_size):
    return awf_create_train_dataset_fn(batch_size)


class Keep:
    def on_train_end(self, run):
        np.savez(os.environ["JOB_WEIGHTS"], *run.model.get_weights())
        with open(os.environ["JOB_WEIGHTS"] + ".devices", "w") as file:
            file.write(" ".join(device.name[-5:] for device in tf.config.list_logical_devices("CPU")))


def awf_observers_fn():
    return [Keep()]
"""


def write(folder: Path, **train_args: Any) -> Path:
    options = {"losses": "mse", "metrics": "mae", "checkpoint": {"every_steps": 2}, **train_args}
    return write_job(folder, script=_SCRIPT, **options)


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keras: int) -> pytest.MonkeyPatch:
    monkeypatch.setenv("JOB_KERAS", str(keras))
    monkeypatch.setenv("JOB_BATCHES", str(tmp_path / "batches"))
    return monkeypatch


def numbers(job: Path, environment: pytest.MonkeyPatch, **options: Any) -> list[Any]:
    """The weights and the results of a training in this process."""
    environment.setenv("JOB_WEIGHTS", str(job.parent / "weights.npz"))
    result = train_here(job, **options)
    with np.load(job.parent / "weights.npz") as file:
        return [*(file[name] for name in file.files), *result.results.values()]


@pytest.mark.slow
def test_devices_share_a_batch_and_a_resumed_run_keeps_its_parts(
    tmp_path: Path, environment: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    expected = numbers(write(tmp_path / "one", batch_size=16), environment)
    job = write(tmp_path / "two", batch_size=8, devices=2)
    numbers(job, environment, max_steps=5)
    assert json.loads((job.parent / "checkpoints" / "run.json").read_text())["replicas"] == 2
    capfd.readouterr()
    found = numbers(write(tmp_path / "two", batch_size=8, devices=1), environment)
    assert "began with 2 devices for each worker, and goes on with 1" in capfd.readouterr().err
    assert set((tmp_path / "batches").read_text().split()) == {"16"}
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5, rtol=1e-5)


@pytest.mark.slow
def test_without_gpus_the_processor_is_divided(tmp_path: Path) -> None:
    job = write(tmp_path / "job", batch_size=8, epochs=1)
    trained(job, "--devices", "2", JOB_BATCHES=str(tmp_path / "batches"))
    assert (job.parent / "weights.npz.devices").read_text() == "CPU:0 CPU:1"
    assert (tmp_path / "batches").read_text().split() == ["16", "16"]


def test_the_processes_of_a_machine_divide_its_gpus() -> None:
    gpus = ["a", "b", "c", "d"]
    assert gpus_of([], 3, process=ProcessHere()) == []
    assert gpus_of(gpus, "auto", process=ProcessHere()) == gpus
    assert gpus_of(gpus, 3, process=ProcessHere()) == ["a", "b", "c"]
    assert [gpus_of(gpus, "auto", process=ProcessHere(each, 2)) for each in range(2)] == [["a", "b"], ["c", "d"]]
    assert [gpus_of(gpus, 1, process=ProcessHere(each, 3)) for each in range(3)] == [["a"], ["b"], ["c"]]
    assert [gpus_of(gpus[:2], "auto", process=ProcessHere(each, 3)) for each in range(3)] == [["a"], ["b"], ["a"]]


def test_more_devices_than_there_are_gpus_are_refused() -> None:
    with pytest.raises(PlatformError, match="devices is 3, but this machine has 2 GPUs"):
        gpus_of(["a", "b"], 3, process=ProcessHere())
    with pytest.raises(PlatformError, match="2 GPUs for 2 processes"):
        gpus_of(["a", "b"], 2, process=ProcessHere(1, 2))
