"""A new run that starts from the model of an earlier one."""

import functools
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runyard.bridge import start_tensorflow
from runyard.config import InvalidJob, JobRequest
from runyard.errors import DataError, ModelError
from runyard.runner.train import TrainOptions, TrainResult, train

tf = start_tensorflow(2)
pytestmark = pytest.mark.slow

SCRIPT = """
import os
import numpy as np
import tensorflow as tf

KERAS = tf.keras
if os.environ.get("JOB_KERAS") == "3":
    import keras as KERAS


class Subclassed(KERAS.Model):
    def __init__(self, units):
        super().__init__()
        self.hidden = KERAS.layers.Dense(units, activation="relu")
        self.norm = KERAS.layers.BatchNormalization()
        self.dropout = KERAS.layers.Dropout(0.3)
        self.out = KERAS.layers.Dense(1, activation="sigmoid")

    def call(self, x, training=False):
        return self.out(self.dropout(self.norm(self.hidden(x), training=training), training=training))


def awf_create_model_fn(units=8, functional=True):
    model = Subclassed(units)
    if not functional:
        return model
    inputs = KERAS.Input((6,))
    x = model.dropout(model.norm(model.hidden(inputs)))
    return KERAS.Model(inputs, model.out(x))


def awf_create_train_dataset_fn(first=0, rows=64):
    x = np.random.default_rng(0).standard_normal((200, 6)).astype("float32")[first:first + rows]
    return tf.data.Dataset.from_tensor_slices((x, (x[:, 0] > 0).astype("float32")))


class Watcher:
    def on_train_begin(self, run):
        np.savez(os.environ["JOB_WEIGHTS"] + "_first", *run.model.get_weights())

    def on_train_end(self, run):
        np.savez(os.environ["JOB_WEIGHTS"] + "_last", *run.model.get_weights())


def awf_observers_fn():
    return [Watcher()]
"""


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    monkeypatch.setenv("JOB_WEIGHTS", str(tmp_path / "weights"))
    if "keras" in request.fixturenames:
        monkeypatch.setenv("JOB_KERAS", str(request.getfixturevalue("keras")))


@pytest.fixture(scope="module")
def trained_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """A job that was trained for one epoch, for each Keras."""

    @functools.cache
    def folder(keras: int) -> Path:
        path = tmp_path_factory.mktemp(f"keras{keras}")
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("JOB_WEIGHTS", str(path / "weights"))
            environment.setenv("JOB_KERAS", str(keras))
            run(job(path / "job", epochs=1))
        return path

    return folder


@pytest.fixture
def learned(trained_once: Callable[[int], Path], tmp_path: Path, request: pytest.FixtureRequest) -> list[Any]:
    """The weights of an earlier training in `tmp_path / "job"`."""
    keras = request.getfixturevalue("keras") if "keras" in request.fixturenames else 2
    shutil.copytree(trained_once(keras), tmp_path, dirs_exist_ok=True)
    return weights(tmp_path, "last")


def job(
    folder: Path, *, epochs: int, model_args: dict[str, Any] | None = None, script: str = SCRIPT, **train_args: Any
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "script.py").write_text(script)
    args = {"batch_size": 16, "epochs": epochs, "losses": "bce", "seed": 5, **train_args}
    path = folder / "job.json"
    path.write_text(json.dumps({"script_name": "script.py", "model_args": model_args or {}, "train_args": args}))
    return path


def run(path: Path, **options: Any) -> TrainResult:
    return train(JobRequest(job_file=path), TrainOptions(**options))


def weights(tmp_path: Path, which: str) -> list[Any]:
    with np.load(tmp_path / f"weights_{which}.npz") as file:
        return [file[name] for name in file.files]


def assert_same(found: list[Any], expected: list[Any]) -> None:
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


CONTINUE = {"continue_training": True}


@pytest.mark.parametrize("functional", [True, False], ids=["functional", "subclassed"])
def test_two_epochs_and_one_more_are_three(
    keras: int, functional: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    kind = {"functional": functional}
    run(job(tmp_path / "whole", epochs=3, model_args=kind))
    expected = weights(tmp_path, "last")
    run(job(tmp_path / "parts", epochs=2, model_args=kind))
    run(job(tmp_path / "parts", epochs=1, model_args={**kind, **CONTINUE}), fresh=True)
    assert_same(weights(tmp_path, "last"), expected)
    assert "and from the state of its optimizers." in capfd.readouterr().err


def test_half_precision_goes_on_with_the_loss_scale_that_it_found(tmp_path: Path) -> None:
    """The first batch overflows until the factor is small enough, and a step that overflows changes nothing."""
    overflowing = SCRIPT.replace("[first:first + rows]", "[first:first + rows] * np.float32(50)")
    overflowing = overflowing.replace("model.dropout(model.norm(model.hidden(inputs)))", "model.hidden(inputs)")
    half = {"script": overflowing, "mix_precision": True, "optimizer": {"type": "sgd", "args": {"learning_rate": 0.01}}}
    run(job(tmp_path / "whole", epochs=3, **half))
    expected = weights(tmp_path, "last")
    run(job(tmp_path / "parts", epochs=2, **half))
    run(job(tmp_path / "parts", epochs=1, model_args=CONTINUE, **half), fresh=True)
    assert_same(weights(tmp_path, "last"), expected)


def test_a_model_that_was_put_in_the_place_of_the_trained_one_counts(
    keras: int, learned: list[Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from runyard.models import load_model

    directory = tmp_path / "job" / "saved_model"
    model = load_model(directory)
    model.set_weights([np.full_like(value, 0.125) for value in model.get_weights()])
    model.save(str(directory if keras == 2 else directory / "model.keras"))
    run(job(tmp_path / "job", epochs=1, model_args=CONTINUE), fresh=True)
    assert all((value == 0.125).all() for value in weights(tmp_path, "first"))
    said = capfd.readouterr().err
    assert "has been replaced since its training: its own weights count" in said
    assert "with new optimizers" in said


def test_without_an_earlier_model_a_new_one_is_trained(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run(job(tmp_path / "job", epochs=1, model_args=CONTINUE))
    assert f"There is no model at {tmp_path / 'job' / 'saved_model'} yet" in capfd.readouterr().err


def test_a_finished_run_says_how_to_continue_and_does_nothing(
    learned: list[Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "weights_first.npz").unlink()
    run(job(tmp_path / "job", epochs=1, model_args=CONTINUE))
    said = capfd.readouterr().err
    assert "to start a run that continues from the saved model, use --fresh" in said
    assert not (tmp_path / "weights_first.npz").exists()


def test_a_path_of_its_own_is_below_the_data_path_and_stays_as_it_is(learned: list[Any], tmp_path: Path) -> None:
    (tmp_path / "job" / "saved_model").rename(tmp_path / "job" / "base")
    base = (tmp_path / "job" / "base" / "model.json").read_text()
    earlier = {**CONTINUE, "continue_training_model_path": "base"}
    run(job(tmp_path / "job", epochs=1, model_args=earlier, save_path="tuned"), fresh=True)
    assert_same(weights(tmp_path, "first"), learned)
    assert (tmp_path / "job" / "base" / "model.json").read_text() == base


def test_the_jobs_learning_rate_counts_not_the_earlier_one(
    keras: int, learned: list[Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    still = {"optimizer": {"type": "adam", "args": {"learning_rate": 0.0}}}
    run(job(tmp_path / "job", epochs=1, model_args=CONTINUE, **still), fresh=True)
    np.testing.assert_array_equal(weights(tmp_path, "last")[0], learned[0])
    assert "and from the state of its optimizers." in capfd.readouterr().err


@pytest.mark.parametrize(
    ("train_args", "told"),
    [
        ({"optimizer": "sgd"}, "with new optimizers: it was trained by Adam"),
        ({"optimizer": {"type": "adam", "args": {"amsgrad": True}}}, "theirs were for other variables"),
    ],
)
def test_another_optimizer_starts_anew(
    train_args: dict[str, Any], told: str, learned: list[Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run(job(tmp_path / "job", epochs=1, model_args=CONTINUE, **train_args), fresh=True)
    assert_same(weights(tmp_path, "first"), learned)
    assert told in capfd.readouterr().err


def test_a_model_of_plain_keras_is_a_start_without_optimizers(
    keras: int, learned: list[Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from runyard.models import load_model

    load_model(tmp_path / "job" / "saved_model").save(str(tmp_path / "job" / "plain.keras"))
    earlier = {**CONTINUE, "continue_training_model_path": "plain.keras"}
    run(job(tmp_path / "job", epochs=1, model_args=earlier), fresh=True)
    assert_same(weights(tmp_path, "first"), learned)
    assert "with new optimizers: it was saved without theirs" in capfd.readouterr().err


def test_an_earlier_model_of_other_layers_is_trained_as_it_is(
    learned: list[Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run(job(tmp_path / "job", epochs=1, model_args={**CONTINUE, "units": 4}), fresh=True)
    assert_same(weights(tmp_path, "first"), learned)
    said = capfd.readouterr().err
    assert "is not the one that awf_create_model_fn makes, and is trained as it is: kernel (6, 8) instead of" in said


def test_the_scripts_own_loader_comes_first(learned: list[Any], tmp_path: Path) -> None:
    loader = """

def awf_load_model_fn(path, name, purpose):
    assert purpose == "train" and name == "ranker"
    model = awf_create_model_fn()
    model.set_weights([np.full_like(value, 0.25) for value in model.get_weights()])
    return model
"""
    again = job(tmp_path / "job", epochs=1, model_args={**CONTINUE, "name": "ranker"}, script=SCRIPT + loader)
    run(again, fresh=True)
    assert all((value == 0.25).all() for value in weights(tmp_path, "first"))


def test_a_graph_alone_cannot_be_trained_and_nothing_is_lost(learned: list[Any], tmp_path: Path) -> None:
    module = tf.Module()
    double = tf.function(lambda x: 2 * x, input_signature=[tf.TensorSpec([None, 6])])
    tf.saved_model.save(module, str(tmp_path / "job" / "graph"), signatures=double.get_concrete_function())
    earlier = {**CONTINUE, "continue_training_model_path": "graph"}
    with pytest.raises(ModelError, match=r"graph cannot be trained: only its graph is there") as refused:
        run(job(tmp_path / "job", epochs=1, model_args=earlier), fresh=True)
    assert "awf_load_model_fn" in (refused.value.hint or "")
    assert (tmp_path / "job" / "checkpoints" / "run.json").exists()


def test_a_checkpoint_of_the_run_wins(learned: list[Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    tuned = {"save_path": "tuned", "ckpt_path": "tuned_checkpoints"}
    earlier = {**CONTINUE, "continue_training_model_path": "saved_model"}
    run(job(tmp_path / "job", epochs=1, model_args=earlier, **tuned))
    expected = weights(tmp_path, "last")
    capfd.readouterr()
    run(job(tmp_path / "job", epochs=2, model_args=earlier, **tuned))
    assert_same(weights(tmp_path, "first"), expected)
    said = capfd.readouterr().err
    assert "Going on from the checkpoint" in said and "starts from the model" not in said


def test_an_average_of_the_weights_begins_with_the_earlier_ones(learned: list[Any], tmp_path: Path) -> None:
    run(job(tmp_path / "job", epochs=1, model_args=CONTINUE, ema={"momentum": 0.999999}), fresh=True)
    np.testing.assert_allclose(weights(tmp_path, "last")[0], learned[0], atol=1e-6)


def test_the_earlier_model_may_be_a_part_of_what_was_trained(keras: int, tmp_path: Path) -> None:
    part = """

def awf_model_to_save_fn(model):
    inputs = KERAS.Input((6,))
    return {"hidden": KERAS.Model(inputs, model.layers[1](inputs)), "all": model}
"""
    run(job(tmp_path / "job", epochs=1, script=SCRIPT + part))
    learned = weights(tmp_path, "last")
    assert {entry.name for entry in (tmp_path / "job" / "saved_model").iterdir()} == {"all", "hidden", "training_state"}
    earlier = {**CONTINUE, "continue_training_model_path": f"saved_model{'' if keras == 2 else '/hidden'}"}
    run(job(tmp_path / "job", epochs=1, model_args=earlier, script=SCRIPT + part), fresh=True)
    assert_same(weights(tmp_path, "first"), learned)


def test_data_that_do_not_fit_are_explained(learned: list[Any], tmp_path: Path) -> None:
    narrow = SCRIPT.replace("(200, 6)", "(200, 5)")
    with pytest.raises(DataError, match="the training set does not fit the model"):
        run(job(tmp_path / "job", epochs=1, model_args=CONTINUE, script=narrow), fresh=True)


def test_keys_of_the_wrong_kind_are_found_before_anything_starts(tmp_path: Path) -> None:
    wrong = {"continue_training": "yes", "continue_training_model_path": 3}
    with pytest.raises(InvalidJob) as refused:
        run(job(tmp_path / "job", epochs=1, model_args=wrong))
    assert "continue_training must be true or false" in str(refused.value)
    assert "continue_training_model_path must be a path" in str(refused.value)
