"""Models that `mox.run` exports when it is done."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox

ROWS = np.random.default_rng(1).normal(size=(12, 3)).astype(np.float32)
LABELS = (ROWS.sum(axis=1) > 0).astype(np.int64)
LOAD = """
import json, sys, tensorflow as tf
signatures = tf.saved_model.load(sys.argv[1]).signatures
assert sorted(signatures) == ["predict_object", "serving_default"], sorted(signatures)
rows = tf.constant(json.loads(sys.argv[2]))
found = {key: call(x=rows)["logits"].numpy().tolist() for key, call in signatures.items()}
assert found["predict_object"] == found["serving_default"]
print(json.dumps(found["predict_object"]))
"""


def input_fn(mode: str, **_: Any) -> Any:
    data = tf.data.Dataset.from_tensor_slices((ROWS, LABELS))
    data = data.repeat() if mode == mox.ModeKeys.TRAIN else data
    return tf.data.make_one_shot_iterator(data).get_next()


def batched_input_fn(mode: str, **_: Any) -> Any:
    data = tf.data.Dataset.from_tensor_slices((ROWS, LABELS)).repeat().batch(4, drop_remainder=True)
    return tf.data.make_one_shot_iterator(data).get_next()


def layers(x: Any, mode: str) -> Any:
    training = mode == mox.ModeKeys.TRAIN
    hidden = tf.layers.batch_normalization(tf.layers.dense(x, 5, tf.nn.relu), momentum=0.5, training=training)
    return tf.layers.dense(hidden, 2, name="logits")


def keras_layers(x: Any, mode: str) -> Any:
    keras = tf.keras.layers
    hidden = keras.BatchNormalization(momentum=0.5)(keras.Dense(5, "relu")(x), training=mode == mox.ModeKeys.TRAIN)
    return keras.Dense(2)(keras.Dense(4)(hidden))


def model_with(build: Any, **export: Any) -> Any:
    def model_fn(inputs: Sequence[Any], mode: str, **_: Any) -> Any:
        x, y = inputs
        logits = build(x, mode)
        loss = tf.losses.sparse_softmax_cross_entropy(labels=y, logits=logits)
        spec = mox.ExportSpec(inputs_dict={"x": x}, outputs_dict={"logits": logits}, **export)
        return mox.ModelSpec(loss=loss, log_info={"loss": loss}, output_info={"logits": logits}, export_spec=spec)

    return model_fn


def run(folder: Path, *, build: Any = layers, export: dict[str, Any] | None = None, **changed: Any) -> None:
    usual: dict[str, Any] = {
        "input_fn": input_fn,
        "model_fn": model_with(build, **(export or {})),
        "optimizer_fn": mox.get_optimizer_fn("sgd", learning_rate=0.1),
        "batch_size": 4,
        "run_mode": mox.ModeKeys.TRAIN,
        "log_dir": str(folder),
        "max_number_of_steps": 5,
        "export_model": mox.ExportKeys.TF_SERVING,
    }
    mox.run(**(usual | changed))


def predicted(log_dir: Path, *, build: Any = layers) -> np.ndarray:
    """What a prediction run of the same model gives for all rows."""
    seen: list[np.ndarray] = []
    run(
        log_dir,
        build=build,
        run_mode=mox.ModeKeys.PREDICT,
        optimizer_fn=None,
        output_fn=lambda outputs: seen.extend(output["logits"] for output in outputs),
        max_number_of_steps=3,
        export_model=False,
    )
    return np.concatenate(seen)


def loaded(folder: Path) -> tuple[list[Any], list[Any], Any]:
    """The shapes of the exported input and output, and what it computes for as many rows as it takes."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        found = tf.saved_model.loader.load(session, ["serve"], str(folder)).signature_def["predict_object"]
        x, logits = (graph.get_tensor_by_name(info.name) for info in (found.inputs["x"], found.outputs["logits"]))
        assert {operation.device for operation in graph.get_operations()} == {""}
        return x.shape.as_list(), logits.shape.as_list(), session.run(logits, {x: ROWS[: x.shape[0]]})


@pytest.mark.parametrize("build", [layers, keras_layers])
@pytest.mark.parametrize("devices", [1, 2])
def test_it_computes_what_the_run_computes(tmp_path: Path, build: Any, devices: int) -> None:
    mox.set_flag("num_gpus", devices)
    run(tmp_path, build=build)
    mox.set_flag("num_gpus", 1)
    x, logits, values = loaded(tmp_path / "1")
    assert (x, logits) == ([None, 3], [None, 2])
    np.testing.assert_allclose(values, predicted(tmp_path, build=build), rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_another_process_computes_the_same(tmp_path: Path) -> None:
    run(tmp_path, build=keras_layers)
    command = [sys.executable, "-c", LOAD, str(tmp_path / "1"), json.dumps(ROWS.tolist())]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    np.testing.assert_allclose(json.loads(done.stdout), loaded(tmp_path / "1")[2], rtol=1e-5, atol=1e-6)


def test_without_auto_batch_shapes_are_those_of_training(tmp_path: Path) -> None:
    run(tmp_path, input_fn=batched_input_fn, auto_batch=False)
    assert loaded(tmp_path / "1")[:2] == ([4, 3], [4, 2])


def test_every_run_exports_the_next_version_also_an_evaluation(tmp_path: Path) -> None:
    run(tmp_path)
    run(tmp_path, run_mode=mox.ModeKeys.EVAL, optimizer_fn=None, max_number_of_steps=1)
    run(tmp_path, max_number_of_steps=6, export_model=True)
    names = sorted(path.name for path in tmp_path.iterdir() if path.is_dir())
    assert names == ["1", "2", "3"]

    def weights(version: str) -> Any:
        return tf.train.load_variable(str(tmp_path / version / "variables" / "variables"), "logits/kernel")

    np.testing.assert_array_equal(weights("1"), weights("2"))
    assert not np.array_equal(weights("2"), weights("3"))


def test_nothing_is_trained_for_a_version_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "1").mkdir()
    with pytest.raises(AssertionError, match="Export directory already exists"):
        run(tmp_path, export={"version": 1})
    assert [path.name for path in tmp_path.iterdir()] == ["1"]


def test_nothing_is_trained_without_what_an_export_needs(tmp_path: Path) -> None:
    def without_spec(inputs: Any, mode: str) -> Any:
        return mox.ModelSpec(loss=tf.reduce_mean(layers(inputs[0], mode)))

    with pytest.raises(ValueError, match="export_spec"):
        run(tmp_path, model_fn=without_spec)
    with pytest.raises(ValueError, match="log_dir"):
        run(tmp_path, log_dir=None)
    assert list(tmp_path.iterdir()) == []


def test_a_name_instead_of_a_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, export={"version": "model"})
    assert (tmp_path / "model" / "variables" / "variables.index").exists()
    assert f"INFO:tensorflow:SavedModel written to: {tmp_path}/model/saved_model.pb" in capsys.readouterr().err
