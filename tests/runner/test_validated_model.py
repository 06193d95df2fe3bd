"""Which model is validated when there are several, and with which weights."""

from pathlib import Path
from typing import Any

import pytest

from runyard.bridge import start_tensorflow
from runyard.config import JobRequest
from runyard.config.train_args import TrainArgs
from runyard.errors import DataError, ScriptError
from runyard.models.to_save import ModelToSave
from runyard.runner.train import TrainOptions, TrainResult, train
from runyard.runner.validated_model import choose_validated
from runyard.runner.weight_copies import REMARK
from tests.runner.jobs import SCRIPT, write_job

tf = start_tensorflow(2)


def model(columns: int, name: str) -> Any:
    return tf.keras.Sequential([tf.keras.Input((columns,)), tf.keras.layers.Dense(1)], name=name)


def chosen(columns: int, *, saved: tuple[str, ...] = ("wide", "wider"), **validation: Any) -> Any:
    """What is validated with rows of `columns` numbers, where three models take 4, 5 and 6 of them."""
    models = {name: model(takes, name) for name, takes in (("trained", 4), ("wide", 5), ("wider", 6))}
    return choose_validated(
        TrainArgs.model_validate({"losses": "bce", "validation": validation}),
        trained=models["trained"],
        saved=[ModelToSave(name, models[name]) for name in saved],
        input_spec=tf.TensorSpec((None, columns)),
    )


@pytest.mark.parametrize(("columns", "expected"), [(4, "trained"), (5, "wide"), (6, "wider")])
def test_the_one_that_fits_is_chosen_among_several(columns: int, expected: str) -> None:
    assert chosen(columns).model.name == expected


def test_the_remark_names_the_model_where_there_are_several() -> None:
    assert chosen(4).remark is None
    assert chosen(6).remark == "validation runs on the model 'wider' of awf_model_to_save_fn"
    assert chosen(5, saved=("wide",)).remark == "validation runs on the model of awf_model_to_save_fn"


def test_a_wish_for_the_saved_model_leaves_the_training_model_out() -> None:
    assert chosen(6, model="saved").model.name == "wider"
    with pytest.raises(DataError) as refused:
        chosen(4, model="saved")
    assert "the saved model 'wide' says" in str(refused.value)
    assert "the saved model 'wider' says" in str(refused.value)
    assert "train model" not in str(refused.value)


def test_the_training_model_may_be_the_one_that_is_saved() -> None:
    found = chosen(4, saved=("trained",), model="saved")
    assert (found.model.name, found.remark) == ("trained", None)


COPY = """

def awf_model_to_save_fn(model):
    copy = KERAS.models.clone_model(model)
    copy.set_weights(model.get_weights())
    return {"other": KERAS.Sequential([KERAS.Input((9,)), KERAS.layers.Dense(1)]), "copy": copy}
"""


@pytest.fixture(autouse=True)
def _weights_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JOB_WEIGHTS", str(tmp_path / "weights.npz"))


def run(job: Path, **options: Any) -> TrainResult:
    return train(JobRequest(job_file=job), TrainOptions(**options))


@pytest.mark.parametrize("version", ["2", "3"])
def test_a_copy_of_the_weights_is_validated_with_those_of_now(
    tmp_path: Path, version: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JOB_KERAS", version)
    arguments: dict[str, Any] = {"epochs": 2, "ema": {"momentum": 0.9}, "steps_per_execution": None}
    shared = run(write_job(tmp_path / "shared", **arguments))
    assert REMARK not in capfd.readouterr().err
    job = write_job(tmp_path / "copied", script=SCRIPT + COPY, validation={"model": "saved"}, **arguments)
    copied = run(job)
    said = capfd.readouterr().err
    assert REMARK in said
    assert "validation runs on the model 'copy'" in said
    assert copied.results["val_loss"] == pytest.approx(shared.results["val_loss"], rel=1e-6)


def test_a_copy_that_changes_its_shape_is_refused(tmp_path: Path) -> None:
    growing = """

SIZES = [4, 5, 6, 7]

def awf_model_to_save_fn(model):
    inputs = KERAS.Input((6,))
    return KERAS.Model(inputs, KERAS.layers.Dense(1)(KERAS.layers.Dense(SIZES.pop(0))(inputs)))
"""
    job = write_job(tmp_path / "job", script=SCRIPT + growing, epochs=1, validation={"model": "saved"})
    with pytest.raises(ScriptError, match="other weights than before the training"):
        run(job)
