import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion, call_model, keras_module, keras_version_of
from runyard.bridge.saving import known_input_spec
from runyard.errors import ModelError
from runyard.models import ModelToSave, load_model, models_to_save, save_models, with_input_specs

from .kinds import KINDS, functional, numbers, pair, sequential, subclassed


def spec_of(batch: Any) -> Any:
    return tf.nest.map_structure(lambda tensor: tf.TensorSpec([None, *tensor.shape[1:]], tensor.dtype), batch)


def save(model: Any, batch: Any, directory: Path, **record: Any) -> Path:
    models = with_input_specs(models_to_save(model, default_name="job"), trained=model, input_spec=spec_of(batch))
    (saved,) = save_models(models, directory=directory, record=record)
    return saved.path


def assert_same(found: Any, expected: Any) -> None:
    assert tf.nest.flatten(found), "no outputs"
    for one, other in zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def by_signature(path: Path, batch: Any) -> dict[str, Any]:
    """What a model server computes: inputs by the names in model.json, which keeps the model's order."""
    loaded: Any = tf.saved_model.load(str(path))
    names = json.loads((path / "model.json").read_text())["signature"]["inputs"]
    outputs = loaded.signatures["serving_default"](**dict(zip(names, tf.nest.flatten(batch), strict=True)))
    return {name: outputs[name] for name in json.loads((path / "model.json").read_text())["signature"]["outputs"]}


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_model_computes_what_the_trained_one_does(kind: str, keras: KerasVersion, tmp_path: Path) -> None:
    model, batch = KINDS[kind](keras)
    expected = call_model(model, batch, training=False)
    path = save(model, batch, tmp_path / "saved")
    loaded = load_model(path)
    assert_same(call_model(loaded, batch, training=False), expected)
    served = by_signature(path, batch)
    assert_same(served if isinstance(expected, dict) else list(served.values()), expected)

    one_row = tf.nest.map_structure(lambda tensor: tensor[:1], batch)
    assert_same(call_model(loaded, one_row, training=False), call_model(model, one_row, training=False))
    assert all(len(output) == 1 for output in by_signature(path, one_row).values())
    sides = json.loads((path / "model.json").read_text())["signature"].values()
    assert {spec["shape"][0] for side in sides for spec in side.values()} == {None}


def test_keras_itself_loads_what_was_saved(tmp_path: Path) -> None:
    model, batch = subclassed(2)
    loaded: Any = tf.keras.models.load_model(str(save(model, batch, tmp_path / "saved")))
    assert_same(loaded(batch), call_model(model, batch, training=False))


def test_a_model_of_keras_3_is_rebuilt_as_such(tmp_path: Path) -> None:
    model, batch = functional(3)
    loaded = load_model(save(model, batch, tmp_path / "saved"))
    assert keras_version_of(loaded) == 3
    assert [layer.name for layer in loaded.layers] == [layer.name for layer in model.layers]


def test_inputs_and_outputs_have_the_names_of_the_model(keras: KerasVersion, tmp_path: Path) -> None:
    def names(kind: str) -> dict[str, list[str]]:
        model, batch = KINDS[kind](keras)
        described = json.loads((save(model, batch, tmp_path / kind) / "model.json").read_text())["signature"]
        return {side: list(specs) for side, specs in described.items()}

    assert names("functional") == {"inputs": ["features"], "outputs": ["score"]}
    assert names("several_inputs_and_outputs") == {"inputs": ["user", "item"], "outputs": ["click", "buy"]}
    assert names("dicts") == {"inputs": ["colour", "user"], "outputs": ["buy", "click"]}
    assert names("subclassed") == {"inputs": ["colour", "user"], "outputs": ["output_1", "output_2"]}
    assert names("pair") == {"inputs": ["input_1", "input_2"], "outputs": ["output_1"]}


def test_names_that_a_signature_cannot_have_are_changed(keras: KerasVersion, tmp_path: Path) -> None:
    class Sums(keras_module(keras).Model):
        def call(self, inputs: Any) -> Any:
            return {"the sum": inputs["user-id"] + inputs["user/id"]}

    model, batch = Sums(), {"user-id": numbers(), "user/id": numbers()}
    expected = model(batch)
    served = by_signature(save(model, batch, tmp_path / "saved"), batch)
    assert_same(served, expected)
    assert list(served) == ["the_sum"]


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
@pytest.mark.parametrize("kind", ["sequential", "subclassed"])
def test_mixed_precision(kind: str, policy: str, keras: KerasVersion, tmp_path: Path) -> None:
    precision = keras_module(keras).mixed_precision
    precision.set_global_policy(policy)
    try:
        model, batch = KINDS[kind](keras)
        expected = call_model(model, batch, training=False)
        path = save(model, batch, tmp_path / "saved")
        assert_same(call_model(load_model(path), batch, training=False), expected)
    finally:
        precision.set_global_policy("float32")
    assert_same(call_model(load_model(path), batch, training=False), expected)
    assert_same(list(by_signature(path, batch).values()), expected)


def test_a_model_inside_the_trained_one_is_saved_alone(keras: KerasVersion, tmp_path: Path) -> None:
    model, batch = pair(keras)
    models = models_to_save(model.ranker, default_name="job")
    models = with_input_specs(models, trained=model, input_spec=spec_of(batch))
    (saved,) = save_models(models, directory=tmp_path / "saved", record={})
    assert_same(load_model(saved.path)(numbers()), model.ranker(numbers()))


def test_the_inputs_of_a_subclassed_model_inside_are_seen(keras: KerasVersion, tmp_path: Path) -> None:
    tower, batch = subclassed(keras)

    class Outer(keras_module(keras).Model):
        def __init__(self) -> None:
            super().__init__()
            self.tower = tower

        def call(self, inputs: Any) -> Any:
            return self.tower({"user": inputs[0], "colour": inputs[1]})[0]

    outer, inputs = Outer(), (batch["user"], batch["colour"])
    outer(inputs)
    models = models_to_save({"tower": tower, "outer": outer}, default_name="job")
    models = with_input_specs(models, trained=outer, input_spec=spec_of(inputs))
    saved = save_models(models, directory=tmp_path / "saved", record={})
    assert [model.path for model in saved] == [tmp_path / "saved" / "tower", tmp_path / "saved" / "outer"]
    assert_same(load_model(saved[0].path)(batch), tower(batch))
    assert_same(load_model(saved[1].path)(inputs), outer(inputs))


def test_a_model_that_was_never_called_needs_a_spec(keras: KerasVersion, tmp_path: Path) -> None:
    class Fresh(keras_module(keras).Model):
        def __init__(self) -> None:
            super().__init__()
            self.dense = keras_module(keras).layers.Dense(2)

        def call(self, inputs: Any) -> Any:
            return self.dense(inputs[0]) + self.dense(inputs[1])

    model, batch = Fresh(), (numbers(), numbers())
    with pytest.raises(ModelError, match="never been called"):
        save_models([ModelToSave("fresh", model)], directory=tmp_path / "saved", record={})
    saved = save_models(
        [ModelToSave("fresh", model, input_spec=spec_of(batch))], directory=tmp_path / "saved", record={}
    )
    assert_same(load_model(saved[0].path)(batch), model(batch))


def test_without_a_spec_the_first_call_tells_the_inputs(keras: KerasVersion, tmp_path: Path) -> None:
    model, batch = pair(keras)
    assert (known_input_spec(model, keras=keras) is None) == (keras == 3)
    saved = save_models(models_to_save(model, default_name="job"), directory=tmp_path / "saved", record={})
    assert_same(load_model(saved[0].path)(batch), model(batch))


def test_signatures_of_the_user_stand_beside_the_default(keras: KerasVersion, tmp_path: Path) -> None:
    model, batch = functional(keras)

    @tf.function(input_signature=[tf.TensorSpec([None, 4], name="raw")])
    def doubled(raw: Any) -> dict[str, Any]:
        return {"double": model(raw, training=False) * 2}

    options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    models = models_to_save((model, {"doubled": doubled}, options), default_name="job")
    (saved,) = save_models(models, directory=tmp_path / "saved", record={})
    signatures: Any = tf.saved_model.load(str(saved.path)).signatures  # type: ignore[union-attr]
    assert sorted(signatures) == ["doubled", "serving_default"]
    assert_same(signatures["doubled"](raw=batch)["double"], model(batch, training=False) * 2)


def test_the_record_says_what_the_model_is(keras: KerasVersion, tmp_path: Path) -> None:
    model, batch = functional(keras)
    metrics = {"auc": np.float32(0.5), "loss": float("nan"), "steps": tf.constant(3)}
    path = save(model, batch, tmp_path / "saved", job="ranking", metrics=metrics)
    record = json.loads((path / "model.json").read_text())
    assert record["name"] == "ranker"
    assert record["job"] == "ranking"
    assert record["metrics"] == {"auc": 0.5, "loss": None, "steps": 3}
    assert record["keras"] == keras
    assert record["versions"]["keras"].startswith(str(keras))
    assert set(record["versions"]) == {"python", "tensorflow", "keras", "runyard"}
    assert record["signature"]["inputs"] == {"features": {"shape": [None, 4], "dtype": "float32"}}
    assert record["signature"]["outputs"] == {"score": {"shape": [None, 1], "dtype": "float32"}}


def test_an_older_model_is_replaced_whole(keras: KerasVersion, tmp_path: Path) -> None:
    model, batch = functional(keras)
    models = models_to_save([model, sequential(keras)[0]], default_name="job")
    save_models(models, directory=tmp_path / "saved", record={})
    path = save(model, batch, tmp_path / "saved")
    assert not any(entry.name.startswith((".", "ranker", "sequential")) for entry in path.iterdir())
    assert [entry.name for entry in tmp_path.iterdir()] == ["saved"]
    assert_same(load_model(path)(batch), model(batch))


def test_a_model_that_keras_cannot_save_is_an_error_of_the_model(keras: KerasVersion, tmp_path: Path) -> None:
    nowhere = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1.0]), 0.0)

    class Untracked(keras_module(keras).Model):
        def call(self, inputs: Any) -> Any:
            return Untracked.found(inputs)

    Untracked.found = staticmethod(nowhere.lookup)
    model, batch = Untracked(), tf.constant(["a", "b"])
    model(batch)
    with pytest.raises(ModelError, match="the model 'untracked' cannot be saved: ") as caught:
        save(model, batch, tmp_path / "saved")
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
