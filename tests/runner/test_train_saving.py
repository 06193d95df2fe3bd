"""What `awf_model_to_save_fn` returns is what is saved, with the weights and outputs of the trained model."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runyard.bridge import start_tensorflow
from tests.runner.jobs import train_here, write_job

tf = start_tensorflow(2)

pytestmark = pytest.mark.slow

SCRIPT = """
import os

import numpy as np
import tensorflow as tf

INPUT = tf.linspace([-1.0, 0.0, 1.0, 2.0], [2.0, 1.0, 0.0, -1.0], 5)


def tower(name):
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [tf.keras.Input((4,)), layers.BatchNormalization(), layers.Dropout(0.5), layers.Dense(3)], name=name
    )


class Pairs(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.user, self.item = tower("user"), tower("item")

    def call(self, inputs, training=False):
        user, item = self.user(inputs[0], training=training), self.item(inputs[1], training=training)
        return tf.sigmoid(tf.reduce_sum(user * item, axis=-1, keepdims=True))


def awf_create_model_fn():
    return Pairs()


def awf_create_train_dataset_fn():
    x = np.random.default_rng(0).normal(size=(64, 8)).astype("float32")
    return tf.data.Dataset.from_tensor_slices(((x[:, :4], x[:, 4:]), (x[:, 0] > 0).astype("float32")))


def awf_model_to_save_fn(trained, kind):
    @tf.function(input_signature=[tf.TensorSpec([None, 4])])
    def length(x):
        return {"length": tf.norm(trained.user(x, training=False), axis=1)}

    options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    return {
        "single": trained.user,
        "tuple": (trained.user, {"length": length}, options),
        "list": [trained.item, trained.user],
        "dict": {"readers": (trained.user, {"length": length}), "books": trained.item},
    }[kind]


class Expected:
    def on_train_end(self, run):
        found = {"user": run.model.user(INPUT), "item": run.model.item(INPUT)}
        np.savez(os.environ["JOB_OUTPUTS"], **{name: value.numpy() for name, value in found.items()})


def awf_observers_fn():
    return [Expected()]
"""

INPUT = np.linspace([-1.0, 0.0, 1.0, 2.0], [2.0, 1.0, 0.0, -1.0], 5).astype("float32")


def saved_as(kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[Path], dict[str, Any]]:
    """Trains; where models were saved, and the outputs of the trained one's parts."""
    monkeypatch.setenv("JOB_OUTPUTS", str(folder / "outputs.npz"))
    job = write_job(folder / "job", script=SCRIPT, detail={"save_model_args": {"kind": kind}}, epochs=2)
    models = [Path(path) for path in train_here(job).models]
    listed = (folder / "job" / ".model_train_output").read_text().splitlines()
    assert [line.split("|")[0] for line in listed] == [str(path) for path in models]
    with np.load(folder / "outputs.npz") as file:
        return models, dict(file)


def served(path: Path, *, signature: str = "serving_default") -> Any:
    (output,) = tf.saved_model.load(str(path)).signatures[signature](tf.constant(INPUT)).values()
    return output.numpy()


def assert_outputs(path: Path, expected: Any) -> None:
    """Served, and loaded by Keras."""
    np.testing.assert_allclose(served(path), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(tf.keras.models.load_model(path)(INPUT), expected, rtol=1e-5, atol=1e-6)


def test_one_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path,), outputs = saved_as("single", tmp_path, monkeypatch)
    assert path == tmp_path / "job" / "saved_model"
    assert_outputs(path, outputs["user"])
    assert json.loads((path / "model.json").read_text())["name"] == "user"


def test_a_tuple_is_one_model_with_its_own_signatures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path,), outputs = saved_as("tuple", tmp_path, monkeypatch)
    assert_outputs(path, outputs["user"])
    length = np.linalg.norm(outputs["user"], axis=1)
    np.testing.assert_allclose(served(path, signature="length"), length, rtol=1e-5)


def test_a_list_of_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths, outputs = saved_as("list", tmp_path, monkeypatch)
    assert [path.relative_to(tmp_path / "job").as_posix() for path in paths] == ["saved_model/item", "saved_model/user"]
    assert_outputs(paths[0], outputs["item"])
    assert_outputs(paths[1], outputs["user"])


def test_a_dict_of_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths, outputs = saved_as("dict", tmp_path, monkeypatch)
    assert [path.name for path in paths] == ["readers", "books"]
    assert_outputs(paths[0], outputs["user"])
    assert_outputs(paths[1], outputs["item"])
    length = np.linalg.norm(outputs["user"], axis=1)
    np.testing.assert_allclose(served(paths[0], signature="length"), length, rtol=1e-5)
