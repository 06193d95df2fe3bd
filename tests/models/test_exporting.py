"""Models in other formats: what each runtime computes from them, and what cannot be exported."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module, keras_version_of
from runyard.errors import ConfigError, ModelError, PlatformError, StorageError
from runyard.models import load_model, models_to_save, save_models, tflite
from runyard.models.check_inputs import drawn_rows, fitted_rows
from runyard.models.conversion import Unconvertible
from runyard.models.converting import refuse_missing_packages
from runyard.models.export_place import ExactPlace, VersionedPlace
from runyard.models.exporting import Exported, ExportSource, Sample, export_model
from runyard.models.formats import ExportFormat, export_format
from runyard.models.served import ServedModel
from tests.models.kinds import dicts, functional, numbers, pair, several_inputs_and_outputs, subclassed
from tests.small_disk import small_disk


def saved(model: Any, path: Path) -> Path:
    save_models(models_to_save(model, default_name="job"), directory=path, record={"job": {"x": 1}})
    return path


def export(
    path: Path, to: ExportFormat, *, batch: Any = None, place: Any = None, check: bool = True, model: Any = None
) -> Exported:
    def sample(served: ServedModel, order: Any) -> Sample:
        rows = None if batch is None else fitted_rows(batch, served=served, order=order)
        return Sample("random numbers", drawn_rows(served)) if rows is None else Sample("a batch", rows)

    place = place or VersionedPlace(path.parent / "versions")
    return export_model(ExportSource("ranker", path, model), to=to, place=place, sample=sample if check else None)


def words_and_numbers(keras: KerasVersion) -> tuple[Any, dict[str, Any]]:
    """What runtimes stumble over: texts, an embedding, two outputs, a batch of any size."""
    layers = keras_module(keras).layers
    colour = layers.Input((), dtype="string", name="colour")
    item = layers.Input((1,), dtype="int32", name="item")
    user = layers.Input((4,), name="user")
    inner = layers.Concatenate()(
        [
            layers.Embedding(4, 3)(layers.StringLookup(vocabulary=["red", "green", "blue"])(colour)),
            layers.Flatten()(layers.Embedding(9, 2)(item)),
            layers.BatchNormalization()(user),
        ]
    )
    outputs = {"click": layers.Dense(1, activation="sigmoid")(inner), "buy": layers.Dense(2)(inner)}
    model = keras_module(keras).Model({"colour": colour, "item": item, "user": user}, outputs)
    rows = {"colour": tf.constant(["red", "blue", "?"]), "item": tf.constant([1, 8, 0]), "user": numbers(3)}
    return model, rows


def test_a_saved_model_is_the_version_itself(keras: KerasVersion, tmp_path: Path) -> None:
    model, batch = functional(keras)
    source = saved(model, tmp_path / "saved")
    (source / "training_state").mkdir()
    first, second = (export(source, ExportFormat.SAVED_MODEL, batch=batch) for _ in range(2))
    assert [first.path, second.path] == [tmp_path / "versions" / "1", tmp_path / "versions" / "2"]
    served = tf.saved_model.load(str(second.path)).signatures["serving_default"]
    np.testing.assert_allclose(served(features=batch)["score"], model(batch), atol=1e-6)
    assert keras_version_of(load_model(second.path)) == keras
    assert not (second.path / "training_state").exists()
    record = json.loads((second.path / "model.json").read_text())
    assert record["export"]["source"] == str(source)
    assert record["export"]["check"] == {
        "rows": 5, "origin": "a batch", "largest_difference": 0.0, "tolerance": 1e-5,
    }  # fmt: skip
    assert record["job"] == {"x": 1}


@pytest.mark.parametrize("maker", [functional, several_inputs_and_outputs, dicts])
def test_a_keras_file_is_read_by_its_keras(keras: KerasVersion, maker: Any, tmp_path: Path) -> None:
    model, batch = maker(keras)
    place = ExactPlace(tmp_path / "model.keras")
    done = export(saved(model, tmp_path / "saved"), ExportFormat.KERAS, batch=batch, place=place)
    loaded = load_model(done.path)
    assert keras_version_of(loaded) == keras
    for one, other in zip(tf.nest.flatten(loaded(batch)), tf.nest.flatten(model(batch)), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)
    assert json.loads((tmp_path / "model.keras.json").read_text())["export"]["format"] == "keras"


@pytest.mark.slow
def test_onnx_runtime_computes_the_same(keras: KerasVersion, tmp_path: Path) -> None:
    import onnxruntime

    model, batch = words_and_numbers(keras)
    done = export(saved(model, tmp_path / "saved"), ExportFormat.ONNX, batch=batch)
    assert done.check is not None and done.check.largest_difference <= 1e-6
    session = onnxruntime.InferenceSession(str(done.path / "model.onnx"))
    texts = np.array(["blue", "red", "blue", "no"], object)
    given = {"colour": texts, "item": np.array([[3]] * 4, np.int32), "user": numbers(4).numpy()}
    click, buy = session.run(["click", "buy"], given)
    expected = model({"colour": tf.constant(texts), "item": tf.constant([[3]] * 4), "user": numbers(4)})
    np.testing.assert_allclose(click, expected["click"], atol=1e-6)
    np.testing.assert_allclose(buy, expected["buy"], atol=1e-6)


@pytest.mark.slow
def test_tensorflow_lite_computes_the_same(keras: KerasVersion, tmp_path: Path) -> None:
    model, batch = words_and_numbers(keras)
    place = ExactPlace(tmp_path / "out" / "ranker.tflite")
    done = export(saved(model, tmp_path / "saved"), ExportFormat.TFLITE, batch=batch, place=place)
    assert (done.path, done.remarks) == (tmp_path / "out" / "ranker.tflite", [])
    assert done.check is not None and (done.check.rows, done.check.largest_difference <= 1e-6) == (3, True)
    assert {entry.name for entry in done.path.parent.iterdir()} == {"ranker.tflite", "ranker.tflite.json"}


@pytest.mark.slow
def test_a_subclassed_model_of_pairs_is_exported_with_inputs_in_order(tmp_path: Path) -> None:
    model, batch = pair(3)
    done = export(saved(model, tmp_path / "saved"), ExportFormat.ONNX, batch=batch)
    assert done.check is not None and (done.check.origin, done.check.rows) == ("a batch", 5)


@pytest.mark.slow
def test_operations_that_a_format_lacks_are_named(tmp_path: Path) -> None:
    model, batch = dicts(3)
    source = saved(model, tmp_path / "saved")
    with pytest.raises(ModelError, match="ONNX has no counterpart of StringToHashBucketFast"):
        export(source, ExportFormat.ONNX, batch=batch)
    with pytest.raises(ModelError, match=r"cannot be tried .* own operations \(StringToHashBucketFast\)") as refused:
        export(source, ExportFormat.TFLITE, batch=batch)
    assert refused.value.hint == "--no-check exports it untried"
    assert list((tmp_path / "versions").iterdir()) == []
    done = export(source, ExportFormat.TFLITE, check=False)
    assert done.check is None and "StringToHashBucketFast" in done.remarks[0]
    assert json.loads((done.path / "model.json").read_text())["export"]["check"] is None


def test_a_model_without_layers_cannot_be_a_keras_file(keras: KerasVersion, tmp_path: Path) -> None:
    model, batch = subclassed(keras) if keras == 2 else pair(keras)
    with pytest.raises(ModelError, match="cannot be exported to keras") as refused:
        export(saved(model, tmp_path / "saved"), ExportFormat.KERAS, batch=batch)
    assert "register_keras_serializable" in (refused.value.hint or "")
    assert list((tmp_path / "versions").iterdir()) == []


def test_a_file_is_a_source_too(keras: KerasVersion, tmp_path: Path) -> None:
    model, batch = functional(keras)
    done = export(tmp_path / "ranker.keras", ExportFormat.SAVED_MODEL, batch=batch, model=model)
    np.testing.assert_allclose(load_model(done.path)(batch), model(batch), atol=1e-6)
    assert [entry.name for entry in (tmp_path / "versions").iterdir()] == ["1"]


def test_other_outputs_than_the_sources_are_refused_and_nothing_is_published(tmp_path: Path) -> None:
    class Clock(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, 1], name="x")])
        def read(self, x: Any) -> dict[str, Any]:
            tenths_of_milliseconds = tf.math.floormod(tf.timestamp() * 1e4, 1e5)
            return {"y": x + tf.cast(tenths_of_milliseconds, tf.float32)}

    clock = Clock()
    tf.saved_model.save(clock, str(tmp_path / "clock"), signatures=clock.read)
    with pytest.raises(ModelError, match="does not give the outputs of its source: 'y' differs by"):
        export(tmp_path / "clock", ExportFormat.SAVED_MODEL)
    assert list((tmp_path / "versions").iterdir()) == []


def test_what_saving_makes_of_a_model_is_compared_with_the_model_itself(keras: KerasVersion, tmp_path: Path) -> None:
    """A graph may do something else than the Python that it was made from."""

    class Frozen(keras_module(keras).Model):
        def __init__(self) -> None:
            super().__init__()
            self.dense = keras_module(keras).layers.Dense(2)

        def call(self, inputs: Any) -> Any:
            return self.dense(inputs) + (0.0 if tf.executing_eagerly() else 1.0)

    model = Frozen()
    model(numbers())
    with pytest.raises(ModelError, match="does not give the outputs of its source: 'output_1' differs by"):
        export(tmp_path / "frozen.keras", ExportFormat.SAVED_MODEL, batch=numbers(), model=model)
    assert list((tmp_path / "versions").iterdir()) == []


def test_a_model_that_cannot_run_on_the_rows_is_exported_only_unchecked(tmp_path: Path) -> None:
    class Picky(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="examples")])
        def serve(self, examples: Any) -> dict[str, Any]:
            return {"y": tf.io.parse_example(examples, {"x": tf.io.FixedLenFeature([], tf.float32)})["x"]}

    picky = Picky()
    tf.saved_model.save(picky, str(tmp_path / "picky"), signatures=picky.serve)
    with pytest.raises(ModelError, match="cannot be tried before it is exported") as refused:
        export(tmp_path / "picky", ExportFormat.SAVED_MODEL)
    assert "--no-check" in str(refused.value)
    assert export(tmp_path / "picky", ExportFormat.SAVED_MODEL, check=False).path.name == "1"


def test_halves_may_differ_in_the_third_digit(tmp_path: Path) -> None:
    layers = keras_module(2).layers
    given = layers.Input((4,), name="x")
    half = layers.Dense(8, dtype="mixed_float16")(given)
    model = keras_module(2).Model(given, layers.Dense(1, dtype="float32")(half))
    assert ServedModel(saved(model, tmp_path / "half")).half_precision
    assert not ServedModel(saved(functional(2)[0], tmp_path / "whole")).half_precision
    done = export(tmp_path / "half", ExportFormat.SAVED_MODEL)
    assert done.check is not None and done.check.tolerance == 1e-2


def test_a_file_of_another_name_is_never_replaced(tmp_path: Path) -> None:
    source = saved(functional(2)[0], tmp_path / "saved")
    (tmp_path / "job.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"is a file \*\.keras, and .*job\.json is no such name"):
        export(source, ExportFormat.KERAS, place=ExactPlace(tmp_path / "job.json"))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "rows.csv").write_text("1")
    with pytest.raises(StorageError, match=r"holds rows\.csv"):
        export(source, ExportFormat.SAVED_MODEL, place=ExactPlace(tmp_path / "data"))


def test_formats_are_named_as_people_write_them() -> None:
    assert export_format("SavedModel".lower().replace("dm", "d_m")) is ExportFormat.SAVED_MODEL
    assert export_format("ONNX") is ExportFormat.ONNX
    with pytest.raises(ConfigError, match="'coreml'") as refused:
        export_format("coreml")
    assert refused.value.hint == "the formats are saved_model, keras, onnx, tflite"


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_missing_packages(ExportFormat.ONNX)
    monkeypatch.setitem(sys.modules, "tf2onnx", None)
    with pytest.raises(PlatformError, match="needs tf2onnx, which is not installed") as refused:
        refuse_missing_packages(ExportFormat.ONNX)
    assert refused.value.hint == "pip install 'runyard[onnx]'"


@pytest.mark.slow
def test_a_full_disk_is_one_clear_line(tmp_path: Path) -> None:
    given = tf.keras.Input((512,), name="x")
    model = tf.keras.Model(given, tf.keras.layers.Dense(2048)(given))
    source = saved(model, tmp_path / "saved")
    with small_disk(tmp_path / "small", megabytes=2) as disk:
        for to in (ExportFormat.SAVED_MODEL, ExportFormat.KERAS, ExportFormat.TFLITE):
            with pytest.raises(StorageError, match="No space left on device"):
                export(source, to, place=VersionedPlace(disk / "versions"))
            assert list((disk / "versions").iterdir()) == []


def test_a_converter_that_dies_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = saved(functional(2)[0], tmp_path / "saved")
    (tmp_path / "sitecustomize.py").write_text("import os\nprint('the last words', flush=True)\nos.abort()\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(ModelError, match=r"converter to tflite died of SIGABRT; it said last:\nthe last words"):
        export(source, ExportFormat.TFLITE)
    assert list((tmp_path / "versions").iterdir()) == []


def test_what_tensorflow_lite_lacks_altogether_is_named(tmp_path: Path) -> None:
    class Spectrum(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([3, 3], name="x")])
        def values(self, x: Any) -> dict[str, Any]:
            return {"y": tf.linalg.eigvalsh(x)}

    spectrum = Spectrum()
    tf.saved_model.save(spectrum, str(tmp_path / "saved"), signatures=spectrum.values)
    with pytest.raises(Unconvertible, match="TensorFlow Lite has no counterpart") as refused:
        tflite.convert(tmp_path / "saved", tmp_path / "model.tflite", signature="serving_default")
    assert refused.value.operations == ["SelfAdjointEigV2"]
    assert not (tmp_path / "model.tflite").exists()
