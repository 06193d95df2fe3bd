"""Hooks that feed, and hooks that users write."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from moxing.tensorflow.executor.hooks import FeedSessionRunHook
from tests.moxing.hooks.runs import input_fn, train


class Recorder(mox.AggregativeSessionRunHook):
    """Writes down how it is called. It does not call its base's `__init__`, as users' hooks may not."""

    def __init__(self, name: str, events: list[str], *, aggregation: bool = False, inter: bool = False) -> None:
        self._name, self._events, self._aggregation, self._inter = name, events, aggregation, inter

    def support_aggregation(self) -> bool:
        return self._aggregation

    def support_sync_workers(self) -> bool:
        return False

    def run_inter_mode(self) -> bool:
        return self._inter

    def begin(self) -> None:
        self._events.append(f"{self._name} begin")

    def after_create_session(self, session: Any, coord: Any) -> None:
        self._events.append(f"{self._name} created")

    def before_run(self, run_context: Any) -> Any:
        self._events.append(f"{self._name} before")
        return tf.train.SessionRunArgs(tf.train.get_global_step())

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self._events.append(f"{self._name} after {run_values.results is not None}")
        if len([event for event in self._events if "after" in event]) == 3:
            run_context.request_stop()

    def end(self, session: Any) -> None:
        self._events.append(f"{self._name} end")


def test_every_callback_is_called_and_may_end_the_run() -> None:
    events: list[str] = []
    train(lambda value, weight, mode: [Recorder("a", events)] if mode == "TRAIN" else [], steps=100)
    assert events == ["a begin", "a created", *["a before", "a after True"] * 3, "a end"]


@pytest.mark.parametrize(("aggregation", "instances"), [(True, {"0"}), (False, {"0", "1"})])
def test_one_instance_for_all_devices_or_one_for_each(aggregation: bool, instances: set[str]) -> None:
    mox.set_flag("num_gpus", 2)
    events: list[str] = []
    made: list[int] = []

    def hooks(value: Any, weight: Any, mode: str) -> list[Any]:
        made.append(len(made))
        return [Recorder(str(made[-1]), events, aggregation=aggregation)]

    train(hooks, steps=2, inter_mode=None)
    assert {event.split()[0] for event in events} == instances


def test_the_instance_of_the_inter_mode_is_the_one_that_is_called() -> None:
    events: list[str] = []
    train(lambda value, weight, mode: [Recorder(mode, events, inter=True)], steps=2)
    assert {event.split()[0] for event in events} == {"EVAL"}


def test_the_three_answers_must_be_given() -> None:
    class Silent(mox.AggregativeSessionRunHook):
        def support_aggregation(self) -> bool:
            return False

    with pytest.raises(TypeError, match="run_inter_mode"):
        Silent()  # pyright: ignore[reportAbstractUsage]


def test_only_hooks_that_look_at_session_calls_look_at_every_step() -> None:
    class Quiet(Recorder):
        before_run = tf.train.SessionRunHook.before_run
        after_run = tf.train.SessionRunHook.after_run

    assert Quiet("a", []).steps_until_due() is None
    assert Recorder("a", []).steps_until_due() == 1
    assert FeedSessionRunHook({}).steps_until_due() == 1


def fed_run(**changed: Any) -> list[np.ndarray]:
    """A run whose model has a placeholder, and the values that it has seen."""
    seen: list[np.ndarray] = []
    made: list[Any] = []

    def model_fn(inputs: Any, mode: str) -> Any:
        given = tf.placeholder(tf.float32, [3])
        weight = tf.get_variable("w", [], initializer=tf.zeros_initializer())
        made.append(given)
        hook = FeedSessionRunHook(feed_dict={given: np.full(3, len(made), np.float32)})
        hooks: list[Any] = [hook]
        if mode == mox.ModeKeys.EVAL:
            info = {"sum": tf.reduce_sum(given)}
            hooks.append(mox.LogEvaluationMetricHook(info, batch_size=2, samples_in_train=4, samples_in_eval=2))
        loss = weight * tf.reduce_sum(given)
        return mox.ModelSpec(loss=loss, log_info={"loss": loss}, output_info={"given": given}, hooks=hooks)

    usual: dict[str, Any] = {
        "input_fn": lambda mode: [tf.constant(0.0)],
        "model_fn": model_fn,
        "output_fn": lambda outputs: seen.extend(output["given"] for output in outputs),
        "optimizer_fn": mox.get_optimizer_fn("sgd", 0.001),
        "run_mode": mox.ModeKeys.TRAIN,
        "auto_batch": False,
        "batch_size": 2,
        "max_number_of_steps": 4,
    }
    mox.run(**(usual | changed))
    return seen


def test_placeholders_are_fed_in_every_step() -> None:
    np.testing.assert_array_equal(fed_run(), np.ones((4, 3)))


def test_each_device_feeds_its_own() -> None:
    mox.set_flag("num_gpus", 2)
    np.testing.assert_array_equal(fed_run(max_number_of_steps=2), [[1.0] * 3, [2.0] * 3] * 2)


def test_the_inter_mode_feeds_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    fed_run(inter_mode=mox.ModeKeys.EVAL)
    assert "[VALIDATION METRICS] step: 1 sum: 6.000" in capsys.readouterr().err


def test_an_evaluation_is_fed_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fed_run(log_dir=str(tmp_path))
    seen = fed_run(log_dir=str(tmp_path), run_mode=mox.ModeKeys.EVAL, optimizer_fn=None, max_number_of_steps=2)
    np.testing.assert_array_equal(seen, np.ones((2, 3)))
    assert "\t[4 examples]" in capsys.readouterr().err


def test_nothing_to_feed() -> None:
    train(lambda value, weight, mode: [FeedSessionRunHook(feed_dict={})], steps=2)
    assert FeedSessionRunHook({}).before_run(None) is None


def test_hooks_of_tensorflow_itself_are_refused_with_a_remedy() -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        weight = tf.get_variable("w", [])
        return mox.ModelSpec(loss=weight, hooks=[tf.train.StopAtStepHook(num_steps=1)])

    with pytest.raises(ValueError, match=r"StopAtStepHook .* is no mox\.AggregativeSessionRunHook"):
        mox.run(
            input_fn=input_fn,
            model_fn=model_fn,
            optimizer_fn=mox.get_optimizer_fn("sgd", 0.1),
            batch_size=2,
            run_mode=mox.ModeKeys.TRAIN,
            max_number_of_steps=1,
        )
