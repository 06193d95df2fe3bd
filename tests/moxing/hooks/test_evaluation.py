"""Hooks that look at the validation set from within a training."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from tests.moxing.hooks.runs import lines, train

SIZES = {"batch_size": 2, "samples_in_train": 8, "samples_in_eval": 8}


def logged(value: Any, weight: Any, _: str, **changed: Any) -> list[Any]:
    info = {"value": value, "twice": 2.0 * value, "weight": weight}
    return [mox.LogEvaluationMetricHook(**({"monitor_info": info} | SIZES | changed))]


@pytest.mark.parametrize("output_fn", [None, lambda outputs: None], ids=["many steps", "step by step"])
def test_lines_come_with_the_last_step_of_every_epoch(output_fn: Any, capsys: pytest.CaptureFixture[str]) -> None:
    train(logged, steps=12, output_fn=output_fn)
    assert lines(capsys.readouterr().err, "[") == [
        "[VALIDATION METRICS] step: 3 value: 3.500 twice: 7.000 weight: -3.000",
        "[VALIDATION METRICS] step: 7 value: 3.500 twice: 7.000 weight: -7.000",
        "[VALIDATION METRICS] step: 11 value: 3.500 twice: 7.000 weight: -11.000",
    ]


def test_it_comes_before_the_training_line_of_the_same_step(capsys: pytest.CaptureFixture[str]) -> None:
    train(logged, steps=10, log_every_n_steps=7, output_fn=None)
    shown = [line.split()[0:3] for line in lines(capsys.readouterr().err, "") if "step: 7" in line]
    assert [words[0] for words in shown] == ["[VALIDATION", "step:"]


def test_only_as_many_samples_as_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    train(lambda *made: logged(*made, samples_in_eval=3, evaluate_every_n_epochs=2, prefix=""), steps=16)
    shown = lines(capsys.readouterr().err, "step: ")
    assert "step: 7 value: 1.500 twice: 3.000 weight: -7.000" in shown
    assert "step: 15 value: 5.500 twice: 11.000 weight: -15.000" in shown


def test_devices_share_the_work(capsys: pytest.CaptureFixture[str]) -> None:
    mox.set_flag("num_gpus", 2)
    train(logged, steps=4)
    assert [line.split(" twice")[0] for line in lines(capsys.readouterr().err, "[")] == [
        "[VALIDATION METRICS] step: 1 value: 3.500",
        "[VALIDATION METRICS] step: 3 value: 3.500",
    ]


def test_data_that_end_start_anew(capsys: pytest.CaptureFixture[str]) -> None:
    def ending(mode: str) -> Any:
        values = tf.data.Dataset.range(5).map(lambda x: tf.cast(x, tf.float32))
        return tf.data.make_one_shot_iterator(values if mode == mox.ModeKeys.EVAL else values.repeat()).get_next()

    train(lambda *made: logged(*made, samples_in_eval=100), steps=8, input_fn=ending)
    means = [line.split()[5] for line in lines(capsys.readouterr().err, "[")]
    assert len(means) == 2
    assert means[0] == means[1]


def stopping(value: Any, weight: Any, _: str, **changed: Any) -> list[Any]:
    info = {"accuracy": value, "loss": weight}
    usual = {"monitor_info": info, "monitor": "accuracy", "patience": 3, "min_delta": 0.01}
    return [mox.EarlyStoppingHook(**(usual | SIZES | changed))]


def test_a_training_stops_after_the_fourth_evaluation_without_an_improvement(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = train(stopping, steps=1000, log_dir=str(tmp_path))
    assert len(weights) == 16
    told = capsys.readouterr().err
    assert [line.split(" loss")[0] for line in lines(told, "[")] == [
        f"[EarlyStopping] step: {step} accuracy: 3.500" for step in (3, 7, 11, 15)
    ]
    assert "training ends after step 15: accuracy has not improved 3 times in a row" in told
    assert (tmp_path / "model.ckpt-16.index").exists()


def test_a_training_that_improves_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(train(lambda *made: stopping(*made, monitor="loss", patience=1), steps=30)) == 30
    assert len(train(lambda *made: stopping(*made, monitor="loss", patience=1, mode="max"), steps=30)) == 8
    assert "loss has not improved once" in capsys.readouterr().err


def test_what_was_waited_for_survives_a_restart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(stopping, steps=9, log_dir=str(tmp_path))
    again = train(stopping, steps=1000, log_dir=str(tmp_path))
    assert len(again) == 7, "two evaluations before, two after: as without the restart"
    assert "not in" not in capsys.readouterr().err
    tf.train.load_checkpoint(str(tmp_path)).get_tensor("mox_memory/EarlyStoppingHook/accuracy/max")


def test_a_checkpoint_without_such_a_memory_and_one_of_another_training(tmp_path: Path) -> None:
    train(logged, steps=9, log_dir=str(tmp_path / "old"))
    assert len(train(stopping, steps=1000, log_dir=str(tmp_path / "old"))) == 15
    ended = str(tmp_path / "ended")
    train(stopping, steps=1000, log_dir=ended)
    assert len(train(stopping, steps=1000, checkpoint_path=ended, log_dir=str(tmp_path / "new"))) == 16


def test_plateaus_survive_a_restart(tmp_path: Path) -> None:
    whole = train(plateau, steps=1000)
    first = train(plateau, steps=6, log_dir=str(tmp_path))
    assert [*first, *train(plateau, steps=1000, log_dir=str(tmp_path))] == whole


def plateau(value: Any, weight: Any, _: str, **changed: Any) -> list[Any]:
    info = {"accuracy": value, "loss": weight}
    usual = {"monitor_info": info, "monitor": "accuracy", "factor": 0.5, "patience": 1, "max_plateaus": 3}
    return [mox.PlateauLREarlyStoppingHook(**(usual | SIZES | changed))]


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_steps_get_smaller_on_a_plateau_whatever_the_optimizer(
    optimizer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = train(plateau, steps=1000, optimizer=optimizer)
    plain = train(lambda *_: [], steps=16, optimizer=optimizer)
    moved = [a - b for a, b in pairwise(weights)]
    usual = [a - b for a, b in pairwise(plain)]
    # Evaluations after steps 3 (sets the mark), 7, 11 (smaller steps) and 15 (the end).
    expected = [step * (1.0 if number < 8 else 0.5 if number < 12 else 0.25) for number, step in enumerate(usual)]
    assert moved == pytest.approx(expected, rel=1e-4)
    told = capsys.readouterr().err
    assert len(lines(told, "[Plateau Metric] step: ")) == 4
    assert "step 7: accuracy has not improved, the optimizer's steps are now x 0.5" in told
    assert "training ends after step 15: smaller steps have not improved accuracy" in told


def test_steps_do_not_get_smaller_than_asked_for_nor_while_it_cools_down() -> None:
    weights = train(lambda *made: plateau(*made, factor=0.1, min_scale=0.5, cooldown=1, max_plateaus=9), steps=24)
    moved = [a - b for a, b in pairwise(weights)]
    assert moved == pytest.approx([1.0] * 8 + [0.5] * 15)


def test_what_the_steps_are_scaled_by_is_part_of_the_checkpoint(tmp_path: Path) -> None:
    train(plateau, steps=9, log_dir=str(tmp_path))
    assert tf.train.load_variable(str(tmp_path), "mox_step_scale") == 0.5
    weights = train(plateau, steps=12, log_dir=str(tmp_path))
    assert weights[0] - weights[1] == pytest.approx(0.5)


def test_such_a_hook_can_be_added_to_a_training_that_goes_on(tmp_path: Path) -> None:
    train(logged, steps=4, log_dir=str(tmp_path))
    weights = train(plateau, steps=12, log_dir=str(tmp_path))
    assert weights[0] - weights[1] == pytest.approx(1.0)


def test_hooks_of_the_inter_mode_need_one() -> None:
    with pytest.raises(ValueError, match="has no `inter_mode`"):
        train(logged, steps=4, inter_mode=None)


@pytest.mark.parametrize(
    ("hooks", "message"),
    [
        (lambda *made: logged(*made, monitor_info={}), "monitor_info is empty"),
        (lambda *made: logged(*made, monitor_info={"x": tf.zeros(3)}), r"monitor_info\['x'\] has the shape \(3,\)"),
        (lambda *made: logged(*made, batch_size=0), "batch_size=0 of an evaluation hook"),
        (lambda *made: stopping(*made, monitor="acc"), "monitor='acc' is not in .*\n  hint: there are: accuracy, loss"),
        (lambda *made: stopping(*made, mode="up"), "mode='up'"),
        (lambda *made: plateau(*made, factor=1.5), "factor=1.5 .*\n  hint: it lies between 0 and 1"),
        (lambda *made: plateau(*made, patience=0), "patience=0"),
    ],
)
def test_what_a_hook_cannot_be_made_with(hooks: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        train(hooks, steps=4)
