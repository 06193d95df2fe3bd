from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module, keras_version_of
from runyard.bridge.saving import quiet_keras
from runyard.errors import DataError, ModelError, StorageError
from runyard.models import ExportedModel, load_model, models_to_save, save_models

from .kinds import dicts, functional, numbers, several_inputs_and_outputs


def assert_same(found: Any, expected: Any) -> None:
    for one, other in zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True):
        tf.debugging.assert_near(one, other)


@pytest.mark.parametrize("suffix", [".keras", ".h5"])
def test_keras_files_are_loaded_by_the_keras_that_wrote_them(keras: KerasVersion, suffix: str, tmp_path: Path) -> None:
    model, batch = functional(keras)
    path = tmp_path / f"model{suffix}"
    with quiet_keras():
        model.save(str(path))
    loaded = load_model(path)
    assert keras_version_of(loaded) == keras
    assert_same(loaded(batch), model(batch))


def test_an_export_of_keras_is_called_like_a_model(keras: KerasVersion, tmp_path: Path) -> None:
    for maker in (functional, several_inputs_and_outputs, dicts):
        model, batch = maker(keras)
        path = tmp_path / maker.__name__
        with quiet_keras():
            model.export(str(path), **({"verbose": False} if keras == 3 else {}))
        loaded = load_model(path)
        assert isinstance(loaded, ExportedModel)
        assert_same(loaded(batch, training=False), model(batch))


def test_any_saved_model_is_called_by_its_signature(tmp_path: Path) -> None:
    class Scores(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, 1], name="x"), tf.TensorSpec([None], tf.int64, name="n")])
        def scores(self, x: Any, n: Any) -> dict[str, Any]:
            return {"sum": x[:, 0] + tf.cast(n, tf.float32)}

    module = Scores()
    tf.saved_model.save(module, str(tmp_path / "any"), signatures={"scores": module.scores})
    loaded = load_model(tmp_path / "any")
    rows = {"x": tf.constant([1.0, 2.0], tf.float64), "n": tf.constant([3, 4]), "left_out": tf.constant([0])}
    assert loaded(rows).numpy().tolist() == [4.0, 6.0], "numbers are cast, (rows,) becomes (rows, 1)"
    with pytest.raises(DataError, match=r"takes a dict with \['n', 'x'\], it was given \['x'\]"):
        loaded({"x": rows["x"]})
    with pytest.raises(DataError, match="it was given tuple"):
        loaded((rows["x"], rows["n"]))


def test_a_class_that_is_not_at_hand_is_no_obstacle(tmp_path: Path) -> None:
    class Local(keras_module(3).Model):
        def __init__(self, power: object) -> None:
            super().__init__()
            self.power = power

        def call(self, inputs: Any) -> Any:
            return inputs[0] ** self.power + inputs[1]

    model, batch = Local(tf.constant(2.0)), [numbers(), numbers()]
    expected = model(batch)
    (saved,) = save_models(models_to_save(model, default_name="job"), directory=tmp_path / "saved", record={})
    loaded = load_model(saved.path)
    assert isinstance(loaded, ExportedModel)
    assert_same(loaded(batch), expected)
    with pytest.raises(DataError, match="takes a tuple of 2 inputs, it was given 3"):
        loaded([*batch, numbers()])


def test_a_missing_model_says_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=f"there is no model at {tmp_path / 'none'}(.|\n)*SavedModel directory"):
        load_model(tmp_path / "none")


def test_what_is_not_a_model_is_said_to_be_none(keras: KerasVersion, tmp_path: Path) -> None:
    (tmp_path / "notes.keras").write_text("hello")
    (tmp_path / "empty").mkdir()
    functional(keras)[0].save_weights(str(tmp_path / "model.weights.h5"))
    for name, reason in {
        "notes.keras": "is not a model",
        "empty": "it holds no saved_model.pb",
        "model.weights.h5": "it holds weights only",
    }.items():
        with pytest.raises(ModelError, match=reason):
            load_model(tmp_path / name)


def test_a_directory_of_several_models_lists_them(tmp_path: Path) -> None:
    for name in ("user", "item"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "saved_model.pb").write_bytes(b"")
    with pytest.raises(ModelError, match="holds several models: item, user"):
        load_model(tmp_path)


def test_a_broken_model_is_an_error_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "saved_model.pb").write_bytes(b"\0garbage")
    with pytest.raises((ModelError, StorageError), match=str(tmp_path)) as caught:
        load_model(tmp_path)
    assert "\n" not in str(caught.value)
