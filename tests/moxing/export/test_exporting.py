"""Exports of trained models."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from moxing.tensorflow.executor.exporting import plan_export
from moxing.tensorflow.executor.keys import ExportKeys
from moxing.tensorflow.executor.specs import ExportSpec, ModelSpec
from runyard.errors import StorageError
from tests.small_disk import small_disk


def model(*, version: int | str = -1, scale: float = 1.0, name: str = "w") -> ModelSpec:
    x = tf.placeholder(tf.float32, [None, 2], name="images")
    labels = tf.placeholder(tf.float32, [None], name="labels")
    with tf.device("/cpu:1"):
        w = tf.get_variable(name, [2, 1], initializer=tf.constant_initializer(scale))
        y = tf.identity(tf.matmul(x, w), name="y")
    spec = ExportSpec(inputs_dict={"x": x}, outputs_dict={"y": y, "twice": 2.0 * y}, version=version)
    return ModelSpec(loss=tf.reduce_mean(y[:, 0] - labels), export_spec=spec)


def trained(folder: Path, *, scale: float) -> str:
    """A checkpoint."""
    with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        model(scale=scale)
        tf.train.get_or_create_global_step()
        session.run(tf.global_variables_initializer())
        return tf.train.Saver().save(session, str(folder / "model.ckpt"), global_step=0)


def planned(build: Callable[[], ModelSpec], folder: Path, **arguments: Any) -> Any:
    return plan_export(build, **({"export_model": ExportKeys.TF_SERVING, "log_dir": str(folder)} | arguments))


def test_it_holds_the_variables_of_the_checkpoint(tmp_path: Path) -> None:
    folder = planned(model, tmp_path).write(trained(tmp_path, scale=3.0))
    assert folder == tmp_path / "1"
    assert sorted(path.name for path in folder.iterdir()) == ["saved_model.pb", "variables"]
    with tf.Graph().as_default(), tf.Session() as session:
        signatures = tf.saved_model.loader.load(session, ["serve"], str(folder)).signature_def
        rows = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
        for key in ("predict_object", "serving_default"):
            outputs = {name: info.name for name, info in signatures[key].outputs.items()}
            found = session.run(outputs, {signatures[key].inputs["x"].name: rows})
            np.testing.assert_allclose(found["y"], [[9.0], [21.0], [33.0]])
            np.testing.assert_allclose(found["twice"], 2 * found["y"])


def test_it_is_for_serving_and_says_nothing_of_devices(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = planned(model, tmp_path, export_model=True).write(trained(tmp_path, scale=1.0))
    with tf.Graph().as_default() as graph, tf.Session() as session:
        meta = tf.saved_model.loader.load(session, ["serve"], str(folder))
        assert {operation.device for operation in graph.get_operations()} == {""}
        signature = meta.signature_def["predict_object"]
        assert signature.method_name == "tensorflow/serving/predict"
        fetched, fed = signature.outputs["y"].name, signature.inputs["x"].name
        assert session.run(fetched, {fed: [[1.0, 1.0]]}).tolist() == [[2.0]]
    assert ".exporting" not in capfd.readouterr().err


def test_versions(tmp_path: Path) -> None:
    checkpoint = trained(tmp_path, scale=1.0)
    for name in ("99", "07", "model_100", "1.5"):
        (tmp_path / name).mkdir()
    assert planned(model, tmp_path).write(checkpoint).name == "100"
    assert planned(lambda: model(version=3), tmp_path).write(checkpoint).name == "3"
    assert planned(lambda: model(version="model"), tmp_path).write(checkpoint).name == "model"
    assert planned(model, tmp_path).write(checkpoint).name == "101"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("version", [1, "model"])
def test_a_version_that_is_there_is_found_before_training(tmp_path: Path, version: int | str) -> None:
    plan = planned(lambda: model(version=version), tmp_path)
    (tmp_path / str(version)).mkdir()
    message = f"Export directory already exists. Please specify a different export directory: {tmp_path}/{version}"
    with pytest.raises(AssertionError, match=message):
        planned(lambda: model(version=version), tmp_path)
    with pytest.raises(AssertionError, match=message):
        plan.write(trained(tmp_path, scale=1.0))
    assert list((tmp_path / str(version)).iterdir()) == []


@pytest.mark.parametrize("version", [-2, "", "a/b", "..", 1.5, None, True])
def test_a_version_must_be_a_folders_name(tmp_path: Path, version: Any) -> None:
    with pytest.raises(ValueError, match=r"version=.* of ExportSpec\n  hint: give a number from 0 on"):
        planned(lambda: model(version=version), tmp_path)


def test_what_cannot_be_exported_is_found_before_training(tmp_path: Path) -> None:
    elsewhere = tf.Graph()
    with elsewhere.as_default():
        stranger = tf.constant(1.0)

    def with_spec(make: Callable[[Any, Any], Any]) -> Callable[[], ModelSpec]:
        def build() -> ModelSpec:
            x = tf.placeholder(tf.float32, [None], name="x")
            labels = tf.placeholder(tf.float32, [None], name="labels")
            return ModelSpec(export_spec=make(x, labels))

        return build

    wrong = {
        "returned no export_spec": lambda x, labels: None,
        "export_spec is a dict": lambda x, labels: {"x": x},
        "outputs_dict of ExportSpec is empty": lambda x, labels: ExportSpec({"x": x}, {}),
        r"outputs_dict\['y'\] of ExportSpec is made elsewhere": lambda x, labels: ExportSpec({"x": x}, {"y": stranger}),
        r"inputs_dict\['x'\] of ExportSpec is a float": lambda x, labels: ExportSpec({"x": 1.0}, {"y": x}),
        "needs labels, which is not in inputs_dict": lambda x, labels: ExportSpec({"x": x}, {"y": x + labels}),
    }
    for message, make in wrong.items():
        with pytest.raises(ValueError, match=message):
            planned(with_spec(make), tmp_path)
    with pytest.raises(ValueError, match="but no log_dir"):
        planned(model, tmp_path, log_dir=None)
    with pytest.raises(ValueError, match=r"export_model='ONNX'\n  hint: give mox\.ExportKeys.TF_SERVING"):
        planned(model, tmp_path, export_model="ONNX")
    assert list(tmp_path.iterdir()) == []


def test_an_input_in_the_middle_cuts_off_what_is_before_it(tmp_path: Path) -> None:
    def build() -> ModelSpec:
        raw = tf.placeholder(tf.float32, [None], name="raw")
        features = raw * 2.0
        return ModelSpec(export_spec=ExportSpec({"x": features}, {"y": features + 1.0}))

    folder = planned(build, tmp_path).write("unused")
    with tf.Graph().as_default(), tf.Session() as session:
        signature = tf.saved_model.loader.load(session, ["serve"], str(folder)).signature_def["predict_object"]
        assert session.run(signature.outputs["y"].name, {signature.inputs["x"].name: [1.0]}).tolist() == [2.0]


def test_tables_are_filled_when_the_model_is_loaded(tmp_path: Path) -> None:
    def build() -> ModelSpec:
        words = tf.placeholder(tf.string, [None], name="words")
        contents = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([10, 20], tf.int64))
        return ModelSpec(
            export_spec=ExportSpec({"x": words}, {"y": tf.lookup.StaticHashTable(contents, -1).lookup(words)})
        )

    folder = planned(build, tmp_path).write("unused")
    with tf.Graph().as_default(), tf.Session() as session:
        signature = tf.saved_model.loader.load(session, ["serve"], str(folder)).signature_def["predict_object"]
        assert session.run(signature.outputs["y"].name, {signature.inputs["x"].name: ["b", "c"]}).tolist() == [20, -1]


def test_variables_that_training_did_not_have(tmp_path: Path) -> None:
    plan = planned(lambda: model(name="other"), tmp_path)
    with pytest.raises(
        ValueError, match="has no value for other\n  hint: model_fn must make the variables that it made in training"
    ):
        plan.write(trained(tmp_path, scale=1.0))


def test_a_place_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    plan = planned(model, tmp_path / "file")
    with pytest.raises(StorageError, match="/file"):
        plan.write(trained(tmp_path, scale=1.0))
    with pytest.raises(StorageError, match="object stores cannot be reached"):
        planned(model, tmp_path, log_dir="s3://bucket/log")


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    def large(scale: float = 1.0) -> ModelSpec:
        x = tf.placeholder(tf.float32, [None, 1 << 20], name="x")
        w = tf.get_variable("w", [1 << 20, 1], initializer=tf.constant_initializer(scale))
        return ModelSpec(export_spec=ExportSpec({"x": x}, {"y": tf.matmul(x, w)}))

    with tf.Graph().as_default(), tf.Session() as session:
        large()
        session.run(tf.global_variables_initializer())
        checkpoint = tf.train.Saver().save(session, str(tmp_path / "model.ckpt"))
    with small_disk(tmp_path / "small", megabytes=2) as folder:
        with pytest.raises(StorageError, match=f"hint: its variables are safe in {checkpoint}"):
            planned(large, folder).write(checkpoint)
        assert list(folder.iterdir()) == []


def test_two_exports_at_the_same_time_get_two_numbers(tmp_path: Path) -> None:
    checkpoint = trained(tmp_path, scale=1.0)
    plans = [planned(model, tmp_path) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        folders = list(pool.map(lambda plan: plan.write(checkpoint), plans))
    assert sorted(folder.name for folder in folders) == ["1", "2", "3", "4"]
