"""TRAIN."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from tests.moxing.executor.models import FEATURES, LABELS, assert_same, batches, classifier, lines, run, steps, weights


def test_the_lines_are_those_that_people_know(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(log_dir=str(tmp_path), max_number_of_steps=21)
    shown = capsys.readouterr().err
    line = r"INFO:tensorflow:step: 10\(global step: 10\)\tsample/sec: \d+\.\d{3}\tloss: \d\.\d{3}\taccuracy: \d\.\d{3}"
    assert re.search(f"^{line}$", shown, flags=re.MULTILINE)
    assert steps(shown) == [0, 10, 20]
    expected = [
        "Create CheckpointSaverHook.",
        "Graph was finalized.",
        "Running local_init_op.",
        "Done running local_init_op.",
        f"Saving checkpoints for 0 into {tmp_path}/model.ckpt.",
        "Running will end at step: 21",
        f"Saving checkpoints for 21 into {tmp_path}/model.ckpt.",
    ]
    assert [text for text in lines(shown) if text in expected] == expected


def test_one_step_is_plain_gradient_descent(tmp_path: Path) -> None:
    run(log_dir=str(tmp_path), max_number_of_steps=1)
    with tf.Graph().as_default(), tf.Session() as session:
        spec = classifier([tf.constant(FEATURES[:8]), tf.constant(LABELS[:8])], "TRAIN")
        operation = tf.train.GradientDescentOptimizer(0.1).minimize(spec.loss)
        session.run(tf.global_variables_initializer())
        session.run(operation)
        expected = {variable.op.name: session.run(variable) for variable in tf.global_variables()}
    found = weights(tmp_path)
    assert found.pop("global_step") == 1
    assert_same(found, expected, tolerance=1e-7)


def test_the_speed_is_told_every_hundred_steps(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(log_dir=str(tmp_path), max_number_of_steps=250, log_every_n_steps=0, save_summary_steps=50)
    shown = capsys.readouterr().err
    assert len(lines(shown, "global_step/sec: ")) == 2
    assert steps(shown) == []


def test_an_input_that_ends_ends_the_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def input_fn(mode: str) -> Any:
        data = tf.data.Dataset.from_tensor_slices((FEATURES, LABELS)).batch(8)
        return tf.data.make_one_shot_iterator(data).get_next()

    for folder, limit in (("a", 0), ("b", 1000)):
        run(
            input_fn=input_fn,
            auto_batch=False,
            log_dir=str(tmp_path / folder),
            max_number_of_steps=limit,
            log_every_n_steps=5,
        )
        assert weights(tmp_path / folder)["global_step"] == 12
        assert steps(capsys.readouterr().err) == [0, 5, 10]


def test_checkpoints_by_steps(tmp_path: Path) -> None:
    run(log_dir=str(tmp_path), max_number_of_steps=25, save_model_steps=10)
    assert sorted(path.name for path in tmp_path.glob("*.index")) == [
        f"model.ckpt-{step}.index" for step in (0, 10, 20, 25)
    ]


def test_seconds_win_over_steps(tmp_path: Path) -> None:
    run(log_dir=str(tmp_path), max_number_of_steps=25, save_model_steps=10, save_model_secs=1000)
    assert sorted(path.name for path in tmp_path.glob("*.index")) == ["model.ckpt-0.index", "model.ckpt-25.index"]


def test_checkpoints_by_seconds(tmp_path: Path) -> None:
    run(log_dir=str(tmp_path), max_number_of_steps=4, save_model_secs=1e-9, log_every_n_steps=1)
    assert {path.name for path in tmp_path.glob("*.index")} == {f"model.ckpt-{step}.index" for step in range(5)}


def test_without_log_dir_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run(log_dir=None)
    assert list(tmp_path.iterdir()) == []


def test_a_run_goes_on_where_the_last_one_ended(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(log_dir=str(tmp_path), max_number_of_steps=12)
    capsys.readouterr()
    run(log_dir=str(tmp_path), max_number_of_steps=31)
    shown = capsys.readouterr().err
    assert f"Restoring parameters from {tmp_path}/model.ckpt-12" in shown
    assert steps(shown) == [20, 30]
    assert weights(tmp_path)["global_step"] == 31


def test_outputs_of_a_training_come_step_by_step_and_the_rest_at_the_end() -> None:
    calls: list[Any] = []
    run(output_fn=calls.append, output_every_n_steps=2, max_number_of_steps=5)
    assert [len(outputs) for outputs in calls] == [2, 2, 1]
    assert [output["label"].tolist() for outputs in calls for output in outputs] == LABELS[:40].reshape(5, 8).tolist()


def test_summaries_of_the_model_and_of_log_info(tmp_path: Path) -> None:
    def model_fn(inputs: Any, mode: str, **kwargs: Any) -> Any:
        tf.summary.histogram("rows", inputs[0])
        return classifier(inputs, mode)

    run(model_fn=model_fn, log_dir=str(tmp_path), max_number_of_steps=101, save_summary_steps=50)
    found: dict[str, list[int]] = {}
    for file in tmp_path.glob("events*"):
        for event in tf.train.summary_iterator(str(file)):
            for value in event.summary.value:
                found.setdefault(value.tag, []).append(event.step)
    assert found["rows"] == found["loss"] == found["accuracy"] == [0, 50, 100]
    assert len(found["global_step/sec"]) == 1


def test_without_batch_size_inputs_are_batches(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(input_fn=batches, batch_size=None, log_dir=str(tmp_path / "a"))
    shown = capsys.readouterr().err
    assert "no `batch_size`" in shown
    assert lines(shown, "step: 0")
    run(input_fn=samples_as_they_are, batch_size=8, log_dir=str(tmp_path / "b"))
    assert_same(weights(tmp_path / "a"), weights(tmp_path / "b"), tolerance=1e-7)


def samples_as_they_are(mode: str, **_: Any) -> Any:
    data = tf.data.Dataset.from_tensor_slices((FEATURES, LABELS)).repeat()
    return tf.data.make_one_shot_iterator(data).get_next()


def test_several_runs_in_one_process_do_not_see_each_other(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        run(log_dir=str(tmp_path / folder))
    assert_same(weights(tmp_path / "a"), weights(tmp_path / "b"))
    assert not tf.get_default_graph().get_operations()


def test_eager_tensorflow_is_left_alone() -> None:
    import tensorflow as tf2

    run()
    assert tf2.executing_eagerly()
    assert float(tf2.function(lambda x: x + 1)(tf2.constant(1.0))) == 2.0


def test_a_hook_that_wants_to_stop_stops_the_run(tmp_path: Path) -> None:
    class Stop(mox.AggregativeSessionRunHook):
        def after_run(self, run_context: Any, run_values: Any) -> None:
            if self.view is not None and self.view.step == 6:
                run_context.request_stop()

        def support_aggregation(self) -> bool:
            return False

        support_sync_workers = run_inter_mode = support_aggregation

    def model_fn(inputs: Any, mode: str) -> Any:
        spec = classifier(inputs, mode)
        spec.hooks.append(Stop())
        return spec

    run(model_fn=model_fn, log_dir=str(tmp_path), max_number_of_steps=100)
    assert weights(tmp_path)["global_step"] == 7


def test_values_of_log_info_are_of_their_step(capsys: pytest.CaptureFixture[str]) -> None:
    def input_fn(mode: str) -> Any:
        return tf.data.make_one_shot_iterator(tf.data.Dataset.range(1000)).get_next()

    def model_fn(inputs: Any, mode: str) -> Any:
        weight = tf.get_variable("weight", [], initializer=tf.zeros_initializer())
        first = tf.cast(inputs[0][0], tf.float32)
        return mox.ModelSpec(loss=weight * first, log_info={"first": first})

    run(input_fn=input_fn, model_fn=model_fn, batch_size=10, max_number_of_steps=35, log_every_n_steps=7)
    firsts = [float(line.rpartition("first: ")[2]) for line in lines(capsys.readouterr().err, "step: ")]
    assert np.array_equal(firsts, [0, 70, 140, 210, 280])


def test_old_checkpoints_are_deleted_after_a_restart_too(tmp_path: Path) -> None:
    for limit in (12, 24):
        run(log_dir=str(tmp_path), max_number_of_steps=limit, save_model_steps=3)
    assert {path.name for path in tmp_path.glob("*.index")} == {
        f"model.ckpt-{step}.index" for step in (12, 15, 18, 21, 24)
    }


def test_too_few_rows_for_a_step_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    for rows, told in ((7, True), (8, False)):
        data = FEATURES[:rows], LABELS[:rows]
        run(
            input_fn=lambda mode, data=data: tf.data.make_one_shot_iterator(
                tf.data.Dataset.from_tensor_slices(data)
            ).get_next()
        )
        warned = lines(capsys.readouterr().err, "nothing was trained: what input_fn returns ended before")
        assert bool(warned) == told
        assert not told or "it takes 8 rows" in warned[0]


def test_no_seconds_between_checkpoints_leave_it_to_the_steps(tmp_path: Path) -> None:
    run(log_dir=str(tmp_path), max_number_of_steps=10, save_model_steps=5, save_model_secs=0)
    assert sorted(path.name for path in tmp_path.glob("*.index")) == [f"model.ckpt-{step}.index" for step in (0, 10, 5)]


def test_a_summary_in_a_branch_is_left_out(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        def branch() -> Any:
            tf.summary.scalar("inside", tf.reduce_mean(inputs[0]))
            return tf.constant(1.0)

        tf.cond(tf.reduce_sum(inputs[0]) > 0, branch, lambda: tf.constant(0.0))
        return classifier(inputs, mode)

    run(model_fn=model_fn)
    run(model_fn=model_fn, log_dir=str(tmp_path))
    warned = lines(capsys.readouterr().err, "the summary ")
    assert len(warned) == 1
    assert "inside is made within tf.cond or tf.while_loop and is left out" in warned[0]
    events = list(tf.train.summary_iterator(str(next(tmp_path.glob("events*")))))
    assert {value.tag for event in events for value in event.summary.value} == {"loss", "accuracy"}


@pytest.mark.parametrize("devices", [1, 2])
def test_log_info_may_have_all_kinds_of_values(devices: int, capsys: pytest.CaptureFixture[str]) -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        spec = classifier(inputs, mode)
        values = {"yes": tf.constant(True), "text": tf.constant("abc"), "number": 0.25, "whole": tf.constant(3)}
        return mox.ModelSpec(loss=spec.loss, log_info=values)

    mox.set_flag("num_gpus", devices)
    mox.set_flag("log_first_clone", False)
    run(model_fn=model_fn, max_number_of_steps=1)
    assert lines(capsys.readouterr().err, "step: 0")[0].endswith("\tyes: 1.000\ttext: abc\tnumber: 0.250\twhole: 3.000")


def test_a_loss_that_is_no_number_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        loss = tf.log(-tf.square(classifier(inputs, mode).loss))
        return mox.ModelSpec(loss=loss, log_info={"loss": loss})

    run(model_fn=model_fn, output_fn=len, log_every_n_steps=1, max_number_of_steps=3)
    shown = capsys.readouterr().err
    assert len(lines(shown, "loss is no number any more")) == 1
    assert lines(shown, "`output_fn` of mox.run gets empty dicts")
