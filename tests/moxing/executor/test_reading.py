"""EVAL and PREDICT."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from moxing.tensorflow.executor.failures import CannotRestore, WrongValue
from tests.moxing.executor.models import FEATURES, LABELS, batches, classifier, lines, run, samples, weights


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("trained")
    run(log_dir=str(folder), max_number_of_steps=20)
    return str(folder)


def by_hand(folder: str) -> tuple[Any, Any]:
    """Loss and accuracy over all rows."""
    found = weights(folder)
    hidden = np.maximum(FEATURES @ found["hidden/kernel"] + found["hidden/bias"], 0)
    logits = hidden @ found["logits/kernel"] + found["logits/bias"]
    chances = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    return -np.log(chances[np.arange(96), LABELS]).mean(), (logits.argmax(1) == LABELS).mean()


@pytest.mark.parametrize(("batch_size", "clones"), [(8, 1), (10, 1), (8, 2), (10, 2), (10, 3)])
def test_an_evaluation_measures_every_row_once(
    trained: str, batch_size: int, clones: int, capsys: pytest.CaptureFixture[str]
) -> None:
    mox.set_flag("num_gpus", clones)
    mox.set_flag("log_first_clone", False)
    run(run_mode="EVAL", log_dir=trained, batch_size=batch_size, max_number_of_steps=0, log_every_n_steps=2)
    last = lines(capsys.readouterr().err)[-1]
    found = re.fullmatch(r"loss: (\S+)\taccuracy: (\S+)\t\[96 examples\]", last)
    assert found is not None
    np.testing.assert_allclose([float(found[1]), float(found[2])], by_hand(trained), rtol=1e-5)


def test_the_lines_of_an_evaluation(trained: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(run_mode="EVAL", checkpoint_path=trained, max_number_of_steps=11, log_every_n_steps=5)
    shown = capsys.readouterr().err
    assert [line.partition("\t")[0] for line in lines(shown, "step: ")] == ["step: 4", "step: 9"]
    assert re.search(
        r"^INFO:tensorflow:step: 4\tsample/sec: \d+\.\d{3}\tloss: 0\.\d{3}\taccuracy: ", shown, re.MULTILINE
    )
    assert lines(shown)[-1].endswith("\t[88 examples]")
    assert "Saving" not in shown


def test_a_prediction_without_log_info(trained: str, capsys: pytest.CaptureFixture[str]) -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        return mox.ModelSpec(output_info=classifier(inputs, mode).output_info)

    run(run_mode="PREDICT", model_fn=model_fn, checkpoint_path=trained, max_number_of_steps=2, log_every_n_steps=2)
    shown = lines(capsys.readouterr().err)
    assert re.fullmatch(r"step: 1\tsample/sec: \d+\.\d{3}", shown[-2])
    assert shown[-1] == "\t[16 examples]"


@pytest.mark.parametrize("clones", [1, 2])
@pytest.mark.parametrize(("every", "expected"), [(0, [12]), (5, [5, 5, 2]), (12, [12]), (100, [12])])
def test_outputs_come_in_order(
    trained: str, clones: int, every: int, expected: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    mox.set_flag("num_gpus", clones)
    calls: list[Any] = []
    run(
        run_mode="PREDICT",
        checkpoint_path=trained,
        output_fn=calls.append,
        output_every_n_steps=every,
        batch_size=8 // clones,
        max_number_of_steps=0,
    )
    assert [len(outputs) for outputs in calls] == [clones * number for number in expected]
    labels = np.concatenate([output["label"] for outputs in calls for output in outputs])
    assert np.array_equal(labels, LABELS)
    assert "\t[96 examples]" in capsys.readouterr().err, "every row counts, whichever device it was on"


def test_a_last_batch_that_is_smaller_is_predicted_too(trained: str) -> None:
    for clones in (1, 2, 4):
        mox.set_flag("num_gpus", clones)
        calls: list[Any] = []
        run(
            run_mode="PREDICT",
            checkpoint_path=trained,
            output_fn=calls.append,
            batch_size=20,
            max_number_of_steps=0,
        )
        labels = np.concatenate([output["label"] for output in calls[0]])
        assert np.array_equal(labels, LABELS)
        assert [len(output["label"]) for output in calls[0]] == [20, 20, 20, 20, 16]


def test_already_batched_rows_on_two_devices(trained: str) -> None:
    def input_fn(mode: str) -> Any:
        data = tf.data.Dataset.from_tensor_slices((FEATURES, LABELS)).batch(20)
        return tf.data.make_one_shot_iterator(data).get_next()

    mox.set_flag("num_gpus", 2)
    calls: list[Any] = []
    run(
        run_mode="PREDICT",
        input_fn=input_fn,
        auto_batch=False,
        batch_size=20,
        checkpoint_path=trained,
        output_fn=lambda outputs, **_: calls.append(outputs),
        max_number_of_steps=0,
    )
    assert np.array_equal(np.concatenate([output["label"] for output in calls[0]]), LABELS)


def test_the_first_device_alone_is_shown_unless_told_otherwise(
    trained: str, capsys: pytest.CaptureFixture[str]
) -> None:
    mox.set_flag("num_gpus", 2)
    run(run_mode="EVAL", checkpoint_path=trained, max_number_of_steps=0)
    shown = lines(capsys.readouterr().err)
    assert shown[-2].endswith("[48 examples]")
    assert "--log_first_clone=False" in shown[-1]


def test_checkpoint_path_wins_over_log_dir(trained: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(log_dir=str(tmp_path), max_number_of_steps=3)
    capsys.readouterr()
    for path in (trained, f"{trained}/model.ckpt-20", f"{trained}/model.ckpt-20.index"):
        run(run_mode="EVAL", log_dir=str(tmp_path), checkpoint_path=path)
        assert f"Restoring parameters from {trained}/model.ckpt-20" in capsys.readouterr().err
    run(run_mode="EVAL", log_dir=str(tmp_path))
    assert f"Restoring parameters from {tmp_path}/model.ckpt-3" in capsys.readouterr().err


def test_without_a_checkpoint_nothing_runs(tmp_path: Path) -> None:
    for arguments in ({}, {"log_dir": str(tmp_path)}, {"checkpoint_path": str(tmp_path / "no")}):
        with pytest.raises(CannotRestore, match="needs a checkpoint"):
            run(run_mode="EVAL", **arguments)


def test_each_mode_says_what_it_needs(trained: str) -> None:
    def nothing(inputs: Any, mode: str) -> Any:
        classifier(inputs, mode)
        return mox.ModelSpec()

    for mode, name in (("TRAIN", "loss"), ("EVAL", "log_info"), ("PREDICT", "output_info")):
        with pytest.raises(WrongValue, match=f"no `{name}`; mode {mode} needs it"):
            run(run_mode=mode, model_fn=nothing, checkpoint_path=trained)


def test_evaluation_then_prediction_in_one_process(trained: str, capsys: pytest.CaptureFixture[str]) -> None:
    for mode in ("EVAL", "PREDICT", "EVAL"):
        run(
            run_mode=mode,
            checkpoint_path=trained,
            input_fn=batches if mode == "EVAL" else samples,
            auto_batch=mode != "EVAL",
        )
    assert len(lines(capsys.readouterr().err, "loss: ")) == 3


def test_an_evaluation_of_numbers_and_truths_but_not_of_texts(trained: str, capsys: pytest.CaptureFixture[str]) -> None:
    def model_fn(inputs: Any, mode: str, **more: Any) -> Any:
        classifier(inputs, mode)
        return mox.ModelSpec(log_info={"number": 0.25, "numpy": np.float32(2), "yes": tf.constant(True), **more})

    run(run_mode="EVAL", model_fn=model_fn, checkpoint_path=trained, max_number_of_steps=2)
    assert lines(capsys.readouterr().err, "number: 0.25\tnumpy: 2.0\tyes: 1.0\t[16 examples]")
    with pytest.raises(WrongValue, match=r"`log_info\['text'\]` of mox.ModelSpec is of type string; mode EVAL"):
        run(
            run_mode="EVAL",
            model_fn=lambda inputs, mode: model_fn(inputs, mode, text=tf.constant("a")),
            checkpoint_path=trained,
        )
