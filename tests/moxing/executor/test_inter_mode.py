"""A second mode within a run."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from moxing.tensorflow.executor.failures import WrongValue
from tests.moxing.executor.models import run, weights


class Looks(mox.AggregativeSessionRunHook):
    """Takes batches of the inter mode after every step, and keeps what it sees."""

    seen: list[Any]

    def __init__(self, tensor: Any, *, batches: int) -> None:
        super().__init__()
        self.tensor, self._batches = tensor, batches

    def after_run(self, run_context: Any, run_values: Any) -> None:
        assert self.view is not None and self.view.inter is not None
        fetches = [hook.tensor for hook in self.view.clones_of(self)]
        runs = self.view.inter.run(run_context.session, fetches, batches=self._batches)
        self.seen.append([np.concatenate(values).tolist() for values in runs])

    def support_aggregation(self) -> bool:
        return True

    def run_inter_mode(self) -> bool:
        return True

    def support_sync_workers(self) -> bool:
        return False


def seen(evaluated: Any, *, batches: int, steps: int = 3, **arguments: Any) -> list[Any]:
    """What a hook sees of the inter mode's data."""
    Looks.seen = []

    def input_fn(mode: str) -> Any:
        if mode == mox.ModeKeys.TRAIN:
            return tf.data.make_one_shot_iterator(tf.data.Dataset.range(1000)).get_next()
        return evaluated()

    def model_fn(inputs: Any, mode: str) -> Any:
        weight = tf.get_variable("weight", [], initializer=tf.zeros_initializer())
        loss = weight * tf.reduce_mean(tf.cast(inputs[0], tf.float32))
        return mox.ModelSpec(loss=loss, log_info={"loss": loss}, hooks=[Looks(inputs[0], batches=batches)])

    usual = {"batch_size": 2, "max_number_of_steps": steps, "inter_mode": "EVAL"}
    run(input_fn=input_fn, model_fn=model_fn, **(usual | arguments))
    return Looks.seen


def one_shot() -> Any:
    return tf.data.make_one_shot_iterator(tf.data.Dataset.range(5)).get_next()


def initializable() -> Any:
    iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(5))
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    return iterator.get_next()


@pytest.mark.parametrize("evaluated", [one_shot, initializable, lambda: tf.data.Dataset.range(5)])
def test_data_that_end_start_anew(evaluated: Any) -> None:
    assert seen(evaluated, batches=3) == [[[0, 1], [2, 3], [4]]] * 3


def test_a_look_at_less_goes_on_where_the_last_one_ended() -> None:
    assert seen(one_shot, batches=2, steps=4) == [[[0, 1], [2, 3]], [[4]], [[0, 1], [2, 3]], [[4]]]


def test_each_device_takes_a_batch() -> None:
    mox.set_flag("num_gpus", 2)
    assert seen(one_shot, batches=1, steps=2) == [[[0, 1, 2, 3]], [[0, 1, 2, 3]]]


def test_no_data_at_all_is_said() -> None:
    with pytest.raises(WrongValue, match="no data for mode EVAL"):
        seen(lambda: tf.data.Dataset.range(0), batches=1)


def test_a_feed_hook_of_the_inter_mode_feeds_it_alone() -> None:
    found: list[float] = []

    class Shows(Looks):
        def after_run(self, run_context: Any, run_values: Any) -> None:
            assert self.view is not None and self.view.inter is not None
            found.extend(self.view.inter.run(run_context.session, self.tensor, batches=1))

    def model_fn(inputs: Any, mode: str) -> Any:
        fed = tf.placeholder(tf.float32, [])
        weight = tf.get_variable("weight", [], initializer=tf.zeros_initializer())
        value = 7.0 if mode == mox.ModeKeys.TRAIN else 3.0
        return mox.ModelSpec(
            loss=weight * fed,
            log_info={"fed": fed},
            hooks=[mox.FeedSessionRunHook({fed: value}), Shows(fed, batches=1)],
        )

    run(model_fn=model_fn, inter_mode="EVAL", max_number_of_steps=2)
    assert found == [3.0, 3.0]


def test_inputs_of_both_modes_may_share_a_variable() -> None:
    def input_fn(mode: str) -> Any:
        table = tf.get_variable("table", [4], initializer=tf.ones_initializer(), trainable=False)
        return tf.identity(table)

    def model_fn(inputs: Any, mode: str) -> Any:
        weight = tf.get_variable("weight", [], initializer=tf.zeros_initializer())
        loss = weight * tf.reduce_mean(inputs[0])
        return mox.ModelSpec(loss=loss, log_info={"loss": loss, "rate": 0.5})

    run(input_fn=input_fn, model_fn=model_fn, inter_mode="EVAL")


def test_summaries_and_updates_of_the_inter_mode_are_no_part_of_a_step(tmp_path: Path) -> None:
    def input_fn(mode: str) -> Any:
        rows = 1000 if mode == mox.ModeKeys.TRAIN else 4
        return tf.data.make_one_shot_iterator(tf.data.Dataset.range(rows)).get_next()

    def model_fn(inputs: Any, mode: str) -> Any:
        weight = tf.get_variable("weight", [], initializer=tf.zeros_initializer())
        calls = tf.get_variable("calls", [], initializer=tf.zeros_initializer(), trainable=False)
        loss = weight * tf.reduce_mean(tf.cast(inputs[0], tf.float32))
        tf.summary.scalar("mine", loss)
        tf.summary.scalar("loss", loss)
        with tf.control_dependencies([loss]):
            tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, calls.assign_add(1.0))
        return mox.ModelSpec(loss=loss, log_info={"loss": loss})

    def optimizer_fn() -> Any:
        tf.summary.scalar("rate", tf.constant(0.1))
        return tf.train.GradientDescentOptimizer(0.1)

    run(
        input_fn=input_fn,
        model_fn=model_fn,
        optimizer_fn=optimizer_fn,
        inter_mode="EVAL",
        batch_size=2,
        log_dir=str(tmp_path),
        max_number_of_steps=20,
        save_summary_steps=1,
    )
    found = weights(tmp_path)
    assert found["global_step"] == found["calls"] == 20
    events = tf.train.summary_iterator(str(next(tmp_path.glob("events*"))))
    tags = [value.tag for event in events for value in event.summary.value]
    assert sorted(tags) == ["loss"] * 20 + ["mine"] * 20 + ["rate"] * 20, "each tag once, though log_info has one too"
