"""`runyard export`: which models, to which places, tried on which rows."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runyard.config import JobRequest
from runyard.errors import ConfigError, ModelError, StorageError
from runyard.models import load_model, models_to_save, save_models, write_result_file
from runyard.runner.export import ExportOptions, export
from tests.models.kinds import functional, several_inputs_and_outputs

SCRIPT = """
import tensorflow as tf


def rows(width=4):
    return tf.data.Dataset.from_tensor_slices(tf.random.normal([7, width]))


def awf_create_model_fn():
    raise AssertionError("an export needs no new model")


def awf_create_train_dataset_fn():
    return rows().map(lambda x: (x, 1.0))


def awf_create_test_dataset_fn(file=None):
    if file:
        return tf.data.TextLineDataset(file)
    return {"small": rows().map(lambda x: ((tf.constant(3), x), 1.0)), "large": rows().map(lambda x: (x, 1.0))}


def awf_create_predict_dataset_fn(width=4):
    return rows(width)
"""


def job(folder: Path, *, script: str = SCRIPT, models: Any = None, **detail: Any) -> JobRequest:
    """A job whose training has saved the models."""
    (folder / "script.py").write_text(script)
    path = folder / "job.json"
    path.write_text(json.dumps({"script_name": "script.py", "train_args": {"losses": "mse"}, **detail}))
    if models is not None:
        saved = save_models(models_to_save(models, default_name="job"), directory=folder / "saved_model", record={})
        write_result_file(saved, data_path=folder)
    return JobRequest(job_file=path)


def test_the_trained_model_is_exported_into_the_data_path(tmp_path: Path) -> None:
    model, batch = functional(2)
    (done,) = export(job(tmp_path, models=model), ExportOptions("keras"))
    assert done.path == tmp_path / "exported" / "ranker.keras"
    assert done.check is not None and (done.check.origin, done.check.rows) == ("the training set", 7)
    np.testing.assert_allclose(load_model(done.path)(batch), model(batch), atol=1e-6)


def test_several_models_have_a_place_each(tmp_path: Path) -> None:
    request = job(tmp_path, models={"first": functional(2)[0], "second": functional(3)[0]})
    done = export(request, ExportOptions("saved_model", versioned=tmp_path / "serving"))
    assert [each.path for each in done] == [tmp_path / "serving" / "first" / "1", tmp_path / "serving" / "second" / "1"]
    done = export(request, ExportOptions("keras", output=tmp_path / "files"))
    assert [each.path.name for each in done] == ["first.keras", "second.keras"]
    (done,) = export(request, ExportOptions("saved_model", versioned=tmp_path / "serving" / "second", name="second"))
    assert done.path == tmp_path / "serving" / "second" / "2"
    with pytest.raises(ModelError, match="there is no trained model 'third'; there are first, second"):
        export(request, ExportOptions("keras", name="third"))


@pytest.mark.parametrize(
    ("detail", "origin"),
    [
        ({"eval_args": {"model_call_exclude_input_index": 0, "input_squeeze": True}}, "the test set"),
        ({"eval_args": {}, "predict_data_args": {"width": 4}}, "the predict set"),
        ({"test_data_args": {"file": "gone.csv"}, "predict_data_args": {"width": 5}}, "the training set"),
    ],
)
def test_rows_come_from_the_first_dataset_that_fits(detail: dict[str, Any], origin: str, tmp_path: Path) -> None:
    (done,) = export(job(tmp_path, models=functional(3)[0], **detail), ExportOptions("saved_model"))
    assert done.check is not None and done.check.origin == origin


KEYED = """
import tensorflow as tf


def rows():
    keys = {"user": tf.constant([5, 6, 7]), "features": tf.random.normal([3, 4])}
    return tf.data.Dataset.from_tensor_slices(keys)


def awf_create_test_dataset_fn():
    return rows().map(lambda x: ((x["user"], x["features"]), 1.0))


def awf_create_predict_dataset_fn():
    return rows().map(lambda x: ((x["user"], x["features"]),))
"""


@pytest.mark.parametrize(
    ("detail", "origin"),
    [
        (
            {
                "eval_args": {},
                "train_args": {"losses": "mse", "model_call_exclude_input_index": 0, "input_squeeze": True},
            },
            "the test set",
        ),
        ({"predict_args": {"row_id_col": 0}}, "the predict set"),
    ],
)
def test_the_model_is_given_what_the_task_of_the_rows_would_give_it(
    detail: dict[str, Any], origin: str, tmp_path: Path
) -> None:
    (done,) = export(job(tmp_path, script=KEYED, models=functional(3)[0], **detail), ExportOptions("saved_model"))
    assert done.check is not None and (done.check.origin, done.check.rows) == (origin, 3)


def test_numbers_are_drawn_where_no_dataset_fits(tmp_path: Path) -> None:
    (done,) = export(job(tmp_path, models=several_inputs_and_outputs(2)[0]), ExportOptions("saved_model"))
    assert done.check is not None and (done.check.origin, done.check.rows) == ("random numbers", 32)


def test_another_model_may_be_named_and_the_script_loads_its_file(tmp_path: Path) -> None:
    model, batch = functional(2)
    model.save(str(tmp_path / "best.keras"))
    own = SCRIPT + "\n\ndef awf_load_model_fn(path, name):\n    return tf.keras.models.load_model(path)\n"
    options = ExportOptions("saved_model", model=tmp_path / "best.keras", output=tmp_path / "out")
    (done,) = export(job(tmp_path, script=own), options)
    assert done.name == "best"
    np.testing.assert_allclose(load_model(tmp_path / "out")(batch), model(batch), atol=1e-6)
    none = SCRIPT + "\n\ndef awf_load_model_fn(path, name):\n    return None\n"
    with pytest.raises(ModelError, match="there is nothing to export"):
        export(job(tmp_path, script=none), options)
    plain = SCRIPT + "\n\ndef awf_load_model_fn(path, name):\n    return lambda x: x\n"
    with pytest.raises(ModelError, match=r"awf_load_model_fn returned a function, and only models of Keras"):
        export(job(tmp_path, script=plain), options)


def test_nothing_trained_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="there is no trained model"):
        export(job(tmp_path), ExportOptions("keras"))
    with pytest.raises(StorageError, match="there is no model at"):
        export(job(tmp_path), ExportOptions("keras", model=tmp_path / "gone.keras"))


def test_a_command_that_means_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="give --versioned or --output, not both"):
        export(job(tmp_path), ExportOptions("keras", versioned=tmp_path, output=tmp_path))
    with pytest.raises(ConfigError, match="cannot be exported to 'coreml'"):
        export(job(tmp_path), ExportOptions("coreml"))


@pytest.mark.slow
def test_the_command_prints_where_the_export_is(tmp_path: Path) -> None:
    job(tmp_path, models=functional(3)[0])
    command = [sys.executable, "-m", "runyard", "export", "job.json", "--to", "onnx", "--versioned", "serving"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 'serving' / '1'}\n")
    (line,) = done.stderr.splitlines()
    assert line.startswith("ranker: 7 rows of the training set give the same outputs; the largest difference is ")
    assert {entry.name for entry in (tmp_path / "serving" / "1").iterdir()} == {"model.onnx", "model.json"}
