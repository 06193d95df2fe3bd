"""Several steps in one session call."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from moxing.tensorflow.executor.many_steps import many_steps
from tests.moxing.executor.models import LABELS, assert_same, batches, classifier, dense, lines, run, samples, weights


class Looks(mox.AggregativeSessionRunHook):
    """Counts the calls of the session, so it looks at every step."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.calls += 1

    def support_aggregation(self) -> bool:
        return False

    support_sync_workers = run_inter_mode = support_aggregation


class LooksNowAndThen(Looks):
    def steps_until_due(self) -> int:
        return 1000


def with_hook(model_fn: Callable[..., Any], hook: Any) -> Callable[..., Any]:
    def wrapped(inputs: Any, mode: str) -> Any:
        spec = model_fn(inputs, mode)
        spec.hooks.append(hook)
        return spec

    return wrapped


def noisy(inputs: Any, mode: str) -> Any:
    """With dropout, batch normalisation, a loop, a branch and a summary."""
    tf.set_random_seed(5)
    x = tf.nn.relu(dense(inputs[0], 8, name="hidden"))
    x = tf.layers.batch_normalization(x, training=mode == mox.ModeKeys.TRAIN)
    x = tf.nn.dropout(x, rate=0.3)
    x = tf.cond(tf.reduce_sum(x) > 3.0, lambda: x * 1.5, lambda: x)
    _, x = tf.while_loop(lambda number, _: number < 2, lambda number, value: (number + 1, value * 1.1), [0, x])
    loss = tf.losses.sparse_softmax_cross_entropy(inputs[1], dense(x, 2, name="logits"))
    tf.summary.scalar("noise", tf.reduce_mean(tf.random_uniform([3])))
    return mox.ModelSpec(loss=loss, log_info={"loss": loss})


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
@pytest.mark.parametrize("model_fn", [classifier, noisy])
def test_the_weights_are_the_same_bit_by_bit(
    model_fn: Any, optimizer: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown: list[Any] = []
    for folder, hook in (("one", Looks()), ("many", LooksNowAndThen())):
        run(
            model_fn=with_hook(model_fn, hook),
            optimizer_fn=mox.get_optimizer_fn(optimizer, learning_rate=0.01),
            log_dir=str(tmp_path / folder),
            max_number_of_steps=57,
            save_summary_steps=20,
            save_model_steps=25,
        )
        shown.append([line.partition("loss:")[2] for line in lines(capsys.readouterr().err, "step: ")])
        assert hook.calls == 57 if folder == "one" else hook.calls < 20
    assert_same(weights(tmp_path / "one"), weights(tmp_path / "many"))
    assert shown[0] == shown[1]
    for step in (0, 25, 50, 57):
        one, many = (weights(tmp_path / folder / f"model.ckpt-{step}") for folder in ("one", "many"))
        assert_same(one, many)


def test_summaries_are_the_same(tmp_path: Path) -> None:
    found: list[Any] = []
    for folder, hook in (("one", Looks()), ("many", LooksNowAndThen())):
        run(
            model_fn=with_hook(noisy, hook),
            log_dir=str(tmp_path / folder),
            max_number_of_steps=25,
            save_summary_steps=10,
        )
        file = next((tmp_path / folder).glob("events*"))
        events = [event for event in tf.train.summary_iterator(str(file)) if event.summary.value]
        found.append([(event.step, value.tag) for event in events for value in event.summary.value])
    assert found[0] == found[1]
    assert (20, "loss") in found[0]


def test_all_data_are_read_once_and_a_run_ends_with_them(tmp_path: Path) -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        total = tf.get_variable("total", [], tf.int64, initializer=tf.zeros_initializer(), trainable=False)
        weight = tf.get_variable("weight", [], initializer=tf.zeros_initializer())
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, total.assign_add(tf.reduce_sum(inputs[0])))
        return mox.ModelSpec(loss=weight * 1.0)

    for input_fn, batched in (
        (lambda mode: tf.data.make_one_shot_iterator(tf.data.Dataset.range(1000).batch(10)).get_next(), False),
        (lambda mode: tf.data.make_one_shot_iterator(tf.data.Dataset.range(1000)).get_next(), True),
    ):
        folder = str(tmp_path / str(batched))
        run(
            input_fn=input_fn,
            model_fn=model_fn,
            batch_size=10,
            auto_batch=batched,
            log_dir=folder,
            max_number_of_steps=0,
            log_every_n_steps=33,
        )
        found = weights(folder)
        assert found["total"] == 999 * 500
        assert found["global_step"] == 100


def test_hooks_that_look_now_and_then_are_called_in_time() -> None:
    class Every(Looks):
        steps: list[int]

        def steps_until_due(self) -> int:
            assert self.view is not None
            return 13 - (self.view.step + 1) % 13

        def after_run(self, run_context: Any, run_values: Any) -> None:
            assert self.view is not None
            self.steps.append(self.view.step)

    hook = Every()
    hook.steps = []
    run(model_fn=with_hook(classifier, hook), max_number_of_steps=60, log_every_n_steps=0)
    assert {12, 25, 38, 51} <= set(hook.steps)
    assert len(hook.steps) < 30


def test_what_is_fed_with_every_step_runs_step_by_step() -> None:
    with tf.Graph().as_default():
        number = tf.placeholder(tf.float32, [])
        weight = tf.get_variable("weight", [], use_resource=True)
        assert many_steps(weight.assign_add(number), [[], []]) is None
        assert many_steps(weight.assign_add(1.0), [[], []]) is not None


def test_outputs_of_every_step_are_all_there() -> None:
    calls: list[Any] = []
    run(input_fn=batches, auto_batch=False, output_fn=calls.append, max_number_of_steps=12)
    assert np.array_equal(np.concatenate([output["label"] for output in calls[0]]), LABELS)
    assert len(calls) == 1


def test_two_devices(tmp_path: Path) -> None:
    mox.set_flag("num_gpus", 2)
    for folder, hook in (("one", Looks), ("many", LooksNowAndThen)):
        run(
            input_fn=samples,
            model_fn=lambda inputs, mode, hook=hook: with_hook(classifier, hook())(inputs, mode),
            log_dir=str(tmp_path / folder),
            max_number_of_steps=30,
        )
    assert_same(weights(tmp_path / "one"), weights(tmp_path / "many"), tolerance=1e-6)


def counted(*, collected: bool) -> Callable[..., Any]:
    """A model whose loss waits for a counter."""

    def model_fn(inputs: Any, mode: str) -> Any:
        counter = tf.get_variable("counter", [], initializer=tf.zeros_initializer(), trainable=False)
        counting = counter.assign_add(1.0)
        if collected:
            tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, counting.op)
        with tf.control_dependencies([counting]):
            features = tf.identity(inputs[0])
            now = counter.read_value()
        loss = tf.losses.sparse_softmax_cross_entropy(inputs[1], dense(features, 2, name="logits"))
        with tf.control_dependencies([counting]):
            loss = tf.identity(loss)
        return mox.ModelSpec(loss=loss, log_info={"loss": loss, "counter": now})

    return model_fn


@pytest.mark.parametrize("collected", [True, False])
def test_what_a_step_has_done_is_not_done_again_for_a_line(
    collected: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(
        model_fn=counted(collected=collected),
        log_dir=str(tmp_path),
        max_number_of_steps=12,
        log_every_n_steps=3,
        save_summary_steps=2,
    )
    assert weights(tmp_path)["counter"] == 12
    shown = [line.partition("counter: ")[2] for line in lines(capsys.readouterr().err, "step: ")]
    assert shown == ["1.000", "4.000", "7.000", "10.000"]


def test_an_effect_of_log_info_comes_once_though_a_line_and_a_summary_want_it(tmp_path: Path) -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        spec = classifier(inputs, mode)
        looks = tf.get_variable("looks", [], initializer=tf.zeros_initializer(), trainable=False)
        return mox.ModelSpec(loss=spec.loss, log_info={"looks": looks.assign_add(1.0)})

    run(model_fn=model_fn, log_dir=str(tmp_path), max_number_of_steps=10, log_every_n_steps=5, save_summary_steps=5)
    assert weights(tmp_path)["looks"] == 2
