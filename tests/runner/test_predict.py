"""`runyard predict` in one process: every structure, every format, every error."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest

from runyard.bridge import KerasVersion, keras_module
from runyard.config import InvalidJob
from runyard.errors import ConfigError, DataError, ModelError, RunyardError, StorageError
from runyard.runner.predict import PredictOptions
from runyard.runner.prediction.shard import Shard
from tests.runner.predictions import SCRIPT, hidden, predicted, write_predict_job

ROWS = 10
X = np.random.default_rng(0).standard_normal((ROWS, 4)).astype("float32")
IDS = np.array([f"user {number}" for number in range(ROWS)])


def single(keras: KerasVersion) -> Any:
    package = keras_module(keras)
    return package.Sequential([package.Input((4,), name="x"), package.layers.Dense(1, name="score")])


def several(keras: KerasVersion, *, form: str) -> Any:
    package = keras_module(keras)
    given = package.Input((4,), name="x")
    click, buy = package.layers.Dense(1, name="click")(given), package.layers.Dense(3, name="buy")(given)
    return package.Model(given, {"dict": {"click": click, "buy": buy}, "list": [click, buy]}[form])


def lines(path: Path | None, *, delimiter: str = " ") -> list[list[str]]:
    assert path is not None
    with path.open(newline="") as file:
        return list(csv.reader(file, delimiter=delimiter))


def numbers(texts: list[str]) -> Any:
    return np.array([text.split(",") for text in texts], np.float32)


def test_one_output(keras: KerasVersion, tmp_path: Path) -> None:
    model = single(keras)
    result = predicted(write_predict_job(tmp_path, model=model, inputs={"x": X}))
    assert result.path == tmp_path / "predict.csv"
    assert (result.rows, result.computed) == (ROWS, ROWS)
    rows = lines(result.path)
    assert rows[0] == ["output"]
    np.testing.assert_allclose(numbers([row[0] for row in rows[1:]]), np.asarray(model(X)), rtol=1e-6)
    assert hidden(tmp_path) == []


@pytest.mark.parametrize(("form", "names"), [("list", ["output_0", "output_1"]), ("dict", ["buy", "click"])])
def test_several_outputs_are_columns(form: str, names: list[str], keras: KerasVersion, tmp_path: Path) -> None:
    model = several(keras, form=form)
    rows = lines(predicted(write_predict_job(tmp_path, model=model, inputs={"x": X})).path)
    assert rows[0] == names
    assert len(rows) == ROWS + 1
    outputs = model(X)
    for place, key in enumerate(names if form == "dict" else (0, 1)):
        np.testing.assert_allclose(numbers([row[place] for row in rows[1:]]), np.asarray(outputs[key]), rtol=1e-5)


@pytest.mark.parametrize("saved", ["model.h5", "directory"])
def test_other_ways_of_saving(saved: str, keras: KerasVersion, tmp_path: Path) -> None:
    model = several(keras, form="list")
    path = tmp_path / saved
    if saved == "directory":
        model.export(path)  # only a graph is left
    else:
        model.save(path)
    job = write_predict_job(tmp_path, inputs={"x": X}, model_path=saved)
    rows = lines(predicted(job).path)
    np.testing.assert_allclose(numbers([row[1] for row in rows[1:]]), np.asarray(model(X)[1]), rtol=1e-5)


@pytest.mark.parametrize("ids", [IDS, np.arange(ROWS) + 2**40, np.arange(ROWS)[:, None] / 2])
def test_row_ids_of_a_dict(ids: np.ndarray, keras: KerasVersion, tmp_path: Path) -> None:
    model = single(keras)
    job = write_predict_job(
        tmp_path, model=model, inputs={"x": X, "id": ids}, form="dict", row_id_col="id", result_field_delim=","
    )
    rows = lines(predicted(job).path, delimiter=",")
    assert rows[0] == ["id", "output"]
    assert [row[0] for row in rows[1:]] == [str(value) for value in ids.reshape(-1).tolist()]
    np.testing.assert_allclose(numbers([row[1] for row in rows[1:]]), np.asarray(model(X)), rtol=1e-6)


def test_row_ids_of_a_tuple(keras: KerasVersion, tmp_path: Path) -> None:
    model = single(keras)
    inputs = {"id": np.arange(ROWS), "x": X}
    rows = lines(predicted(write_predict_job(tmp_path, model=model, inputs=inputs, form="tuple", row_id_col=0)).path)
    assert rows[0] == ["row_id", "output"]
    assert [row[0] for row in rows[1:]] == [str(number) for number in range(ROWS)]


def test_row_ids_that_the_model_sees_too(tmp_path: Path) -> None:
    package = keras_module(2)
    given = {"x": package.Input((4,), name="x"), "id": package.Input((1,), name="id")}
    model = package.Model(given, given["x"] * 0 + given["id"])
    ids = np.arange(ROWS, dtype="float32")[:, None]
    job = write_predict_job(
        tmp_path, model=model, inputs={"x": X, "id": ids}, form="dict", row_id_col="id", input_exclude_row_id=False
    )
    assert lines(predicted(job).path)[3] == ["2.0", "2.0,2.0,2.0,2.0"]


@pytest.mark.parametrize("format_", ["jsonl", "parquet", "tfrecord"])
def test_other_formats(format_: str, tensorflow: Any, tmp_path: Path) -> None:
    model = several(2, form="dict")
    inputs = {"x": X, "id": IDS}
    job = write_predict_job(tmp_path, model=model, inputs=inputs, form="dict", row_id_col="id", format=format_)
    path = predicted(job).path
    assert path == tmp_path / f"predict.{format_}"
    if format_ == "jsonl":
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        found = {key: [row[key] for row in rows] for key in rows[0]}
    elif format_ == "parquet":
        found = pyarrow.parquet.read_table(path).to_pydict()
    else:
        spec = {
            "id": tensorflow.io.FixedLenFeature([], tensorflow.string),
            "buy": tensorflow.io.FixedLenFeature([3], tensorflow.float32),
            "click": tensorflow.io.FixedLenFeature([], tensorflow.float32),
        }
        rows = [tensorflow.io.parse_single_example(one, spec) for one in tensorflow.data.TFRecordDataset(str(path))]
        found = {key: [row[key].numpy() for row in rows] for key in spec}
        found["id"] = [text.decode() for text in found["id"]]
    outputs = model(X)
    assert found["id"] == IDS.tolist()
    np.testing.assert_allclose(found["buy"], outputs["buy"], rtol=1e-5)
    np.testing.assert_allclose(found["click"], outputs["click"][:, 0], rtol=1e-5)


def test_the_trained_model_is_the_default(tmp_path: Path) -> None:
    job = write_predict_job(tmp_path, inputs={"x": X}, model_path=None)
    with pytest.raises(StorageError, match="there is no trained model"):
        predicted(job)
    single(2).save(tmp_path / "saved_model")
    assert predicted(job).rows == ROWS


def test_an_upstream_file_names_the_model(tmp_path: Path) -> None:
    job = write_predict_job(tmp_path, model=single(2), inputs={"x": X}, model_path=None)
    (tmp_path / "upstream").write_text("model.keras|mlp\n")
    assert predicted(job, PredictOptions(upstream=tmp_path / "upstream")).rows == ROWS


def test_a_loader_of_the_script(tmp_path: Path) -> None:
    script = SCRIPT + "\n\ndef awf_load_model_fn(path, name):\n    return lambda x, training: x[:, :2] * 2\n"
    rows = lines(predicted(write_predict_job(tmp_path, inputs={"x": X}, script=script)).path)
    assert np.array_equal(numbers([row[0] for row in rows[1:]]), X[:, :2] * 2)
    script = script.replace("return lambda x, training: x[:, :2] * 2", "return None")
    with pytest.raises(ModelError, match="returned None"):
        predicted(write_predict_job(tmp_path, script=script))


def test_shapes_that_differ_from_batch_to_batch(tmp_path: Path) -> None:
    script = """
import tensorflow as tf
def awf_create_predict_dataset_fn(batch_size):
    words = tf.data.Dataset.from_tensor_slices(["a b", "c", "d e f", "g"])
    return words.batch(batch_size).map(lambda x: tf.strings.split(x).to_tensor("-"))
def awf_load_model_fn(path, name):
    return lambda x, training: {"word": x, "length": tf.strings.length(x)}
"""
    job = write_predict_job(tmp_path, script=script, data_args={}, format="jsonl", batch_size=2)
    path = predicted(job).path
    assert path is not None
    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        {"length": [1, 1], "word": ["a", "b"]},
        {"length": [1, 1], "word": ["c", "-"]},
        {"length": [1, 1, 1], "word": ["d", "e", "f"]},
        {"length": [1, 1, 1], "word": ["g", "-", "-"]},
    ]


SHARDED = SCRIPT.replace("form, rows=None", "form, num_shards, shard_index, rows=None").replace(
    "    return data.repeat()", "    data = data.skip(shard_index * 3).take(3)\n    return data.repeat()"
)


@pytest.mark.parametrize(("script", "count"), [(SCRIPT, 3), (SHARDED, 4)])
def test_shards_together_are_the_rows(script: str, count: int, tmp_path: Path) -> None:
    inputs = {"id": np.arange(ROWS), "x": X}
    job = write_predict_job(
        tmp_path, model=single(2), inputs=inputs, form="dict", row_id_col="id", batch_size=2, script=script
    )
    whole = lines(predicted(job).path) if script == SCRIPT else None
    found: list[list[str]] = []
    for number in range(1, count + 1):
        result = predicted(job, PredictOptions(shard=Shard(number, count)))
        assert result.path == tmp_path / f"predict-{number:05d}-of-{count:05d}.csv"
        rows = lines(result.path)
        assert rows[0] == ["id", "output"]
        if script == SCRIPT:
            assert [int(row[0]) % count for row in rows[1:]] == [number - 1] * len(rows[1:])
        found += rows[1:]
    assert sorted(int(row[0]) for row in found) == list(range(ROWS))
    if whole is not None:
        scores = dict(found)
        expected = [float(row[1]) for row in whole[1:]]
        np.testing.assert_allclose([float(scores[row[0]]) for row in whole[1:]], expected, rtol=1e-5)


def test_a_shard_without_rows_is_a_file_without_rows(tmp_path: Path) -> None:
    job = write_predict_job(tmp_path, model=single(2), inputs={"x": X})
    result = predicted(job, PredictOptions(shard=Shard(12, 12)))
    assert result.rows == 0
    assert lines(result.path) == [["output"]]


ERRORS: dict[str, tuple[dict[str, Any], type[RunyardError], str]] = {
    "labels": ({"form": "labelled"}, DataError, r"has labels, expected inputs only; came: x: \(\?, 4\) float32, y: "),
    "endless": ({"form": "endless"}, DataError, "is endless"),
    "empty": ({"data_args": {"form": "x", "rows": 0}}, DataError, "the dataset is empty"),
    "no such id": (
        {"form": "dict", "row_id_col": "user"},
        DataError,
        r"row_id_col is 'user', but the inputs are \['x'\]",
    ),
    "no dict": ({"row_id_col": "user"}, DataError, "one input only"),
    "no such position": ({"form": "tuple", "row_id_col": 7}, DataError, "the inputs are a tuple"),
    "wide id": (
        {"form": "dict", "row_id_col": "x", "input_exclude_row_id": False},
        DataError,
        "one value for each row",
    ),
    "template": ({"row_format": "{click}"}, ConfigError, "the columns are output, output_0"),
    "no model": ({"model_path": "nothing"}, StorageError, "nothing"),
    "result is a directory": ({"result_file": "."}, StorageError, "it is a directory"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_what_does_not_fit_is_refused_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    written, kind, message = ERRORS[name]
    job = write_predict_job(tmp_path, model=single(2), inputs={"x": X}, **written)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(kind, match=message):
        predicted(job)
    assert sorted(tmp_path.iterdir()) == before


def test_inputs_that_do_not_fit_the_model_are_shown(keras: KerasVersion, tmp_path: Path) -> None:
    job = write_predict_job(tmp_path, model=single(keras), inputs={"x": X[:, :3]})
    with pytest.raises(DataError) as caught:
        predicted(job)
    assert "came:     (?, 3) float32" in str(caught.value)
    assert "(?, 4) float32" in str(caught.value)
    assert hidden(tmp_path) == []


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("tf.reduce_sum(x, 0)", r"has 4 rows for \d+ examples|not one row per example"),
        ("tf.reduce_sum(x)", "not one row per example"),
        ("tf.RaggedTensor.from_tensor(x)", "RaggedTensor"),
        ("{'a': (x, x)}", "is a tuple"),
        ("tf.cast(x, tf.complex64)", "complex64"),
        ("x[::2]", r"has 1 rows for 2 examples|has \d rows"),
    ],
)
def test_outputs_that_are_not_one_row_per_example(model: str, message: str, tmp_path: Path) -> None:
    script = SCRIPT + f"\n\ndef awf_load_model_fn(path, name):\n    return lambda x, training: {model}\n"
    job = write_predict_job(tmp_path, inputs={"x": X}, script=script, batch_size=2)
    with pytest.raises(ModelError, match=message):
        predicted(job)
    assert hidden(tmp_path) == []


def test_mistakes_of_the_job_file_come_before_anything_else(tmp_path: Path) -> None:
    job = write_predict_job(tmp_path, format="xml", result_field_delim="", row_format="{")
    with pytest.raises(InvalidJob) as caught:
        predicted(job)
    assert len(caught.value.problems) == 3


def test_an_older_result_is_replaced_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "predict.csv").write_text("older")
    job = write_predict_job(tmp_path, model=single(2), inputs={"x": X}, form="labelled")
    with pytest.raises(DataError):
        predicted(job)
    assert (tmp_path / "predict.csv").read_text() == "older"
    predicted(write_predict_job(tmp_path))
    assert len(lines(tmp_path / "predict.csv")) == ROWS + 1


EMPTY_BATCHES = """
import tensorflow as tf


def awf_create_predict_dataset_fn(batch_size, rows):
    sizes = [0] * 5 + rows + [0]
    signature = tf.TensorSpec([None, 3], tf.float32)
    return tf.data.Dataset.from_generator(lambda: (tf.ones([size, 3]) for size in sizes), output_signature=signature)


def awf_load_model_fn(path, name):
    return lambda x: tf.reduce_sum(x, 1)
"""


def test_batches_without_rows_are_no_rows(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is nothing to predict: the dataset is empty"):
        predicted(write_predict_job(tmp_path, script=EMPTY_BATCHES, data_args={"rows": []}))
    assert hidden(tmp_path) == []
    assert predicted(write_predict_job(tmp_path, script=EMPTY_BATCHES, data_args={"rows": [2]})).rows == 2


def test_rows_without_a_number_are_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    holes = X.copy()
    holes[[1, 4], 0] = np.nan
    predicted(write_predict_job(tmp_path, model=several(2, form="list"), inputs={"x": holes}))
    assert f"2 of {ROWS} rows have an output that is NaN" in capfd.readouterr().err
    predicted(write_predict_job(tmp_path, inputs={"x": X}))
    assert "NaN" not in capfd.readouterr().err
