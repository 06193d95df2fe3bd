"""Whole programs, of the shapes that people write."""

import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import moxing.tensorflow as mox
from tests.moxing.executor.models import lines, steps, weights

PROGRAMS = Path(__file__).with_name("programs")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs one with a folder as its argument, and gives what it wrote to stdout and stderr."""

    def run(name: str) -> Any:
        monkeypatch.setattr(sys, "argv", [name, str(tmp_path)])
        runpy.run_path(str(PROGRAMS / name), run_name="__main__")
        return capsys.readouterr()

    return run


@pytest.mark.parametrize("clones", [1, 2])
def test_adversaries(program: Any, clones: int, tmp_path: Path) -> None:
    mox.set_flag("num_gpus", clones)
    shown = program("adversaries.py").err
    assert steps(shown) == [0, 9, 18]
    assert "D_loss: " in shown and "G_loss: " in shown
    found = weights(tmp_path)
    assert found["global_step"] == 20
    assert not np.allclose(found["generator/batch_normalization/moving_mean"], 0)
    names = {value.tag for file in tmp_path.glob("events*") for value in _values(file)}
    assert {"G_z/image/0", "G_z/image/1", "D_loss"} <= names


def _values(file: Path) -> Any:
    for event in tf.compat.v1.train.summary_iterator(str(file)):
        yield from event.summary.value


def test_a_linear_model_is_trained_evaluated_exported_and_predicts(program: Any, tmp_path: Path) -> None:
    shown = program("softmax.py").err
    assert steps(shown) == [0, 50, 9, 9]
    assert [line for line in lines(shown) if line.endswith("[100 examples]")]
    rows = (tmp_path / "outputs.txt").read_text().splitlines()
    assert len(rows) == 10 and all(len(row.split()) == 10 for row in rows)
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    found = loaded.signatures["predict_object"](images=tf.zeros([3, 16]))
    assert found["labels"].shape == (3, 1)
    assert f"SavedModel written to: {tmp_path}/model/saved_model.pb" in lines(shown)


def test_placeholders(program: Any) -> None:
    assert steps(program("placeholders.py").err) == list(range(0, 100, 10))


def test_names_of_files(program: Any) -> None:
    assert program("file_names.py").out.split() == ["cat.jpg", "a-longer-name.jpg", "x.jpg", "dog.jpg"]


def test_a_validation_set_that_gets_no_better_stops_the_training(program: Any) -> None:
    shown = program("early_stopping.py").err
    metrics = lines(shown, "[VALIDATION METRICS] step: ")
    assert [line.split()[3] for line in metrics] == ["7", "15", "23", "31"]
    assert lines(shown, "[EarlyStopping]") == [
        f"[EarlyStopping] step: {step} accuracy: 0.500" for step in (7, 15, 23, 31)
    ]
    assert steps(shown) == [0, 10, 20, 30]


def test_mixed_precision_and_a_new_last_layer(program: Any, tmp_path: Path) -> None:
    shown = program("mixed_precision.py").err
    assert steps(shown) == [0, 0]
    first, second = weights(tmp_path / "first"), weights(tmp_path / "second")
    assert {value.dtype for name, value in second.items() if name != "global_step"} == {np.dtype("float32")}
    start = weights(tmp_path / "second" / "model.ckpt-0")
    assert np.array_equal(start["hidden/weights"], first["hidden/weights"])
    assert not np.array_equal(start["logits/weights"], first["logits/weights"])
