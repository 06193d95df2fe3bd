"""Many steps in one call: it stops where it should, and takes nothing out of the data that it does not use."""

from typing import Any

import tensorflow as tf

from runyard.training.loop import CallResult, ManySteps


class Counting:
    """A step that adds up its batches, and something around the steps that notes the sum."""

    def __init__(self) -> None:
        self.total = tf.Variable(0, dtype=tf.int64)
        self.at_begin = tf.Variable(-1, dtype=tf.int64)
        self.at_end = tf.Variable(-1, dtype=tf.int64)
        self.go_on = tf.Variable(True)

    def __call__(self, batch: Any) -> None:
        self.total.assign_add(batch)
        self.go_on.assign(self.total < 6)

    def begin_call(self) -> None:
        self.at_begin.assign(self.total)

    def end_call(self) -> None:
        self.at_end.assign(self.total)


def test_a_call_takes_what_it_uses() -> None:
    step, iterator = Counting(), iter(tf.data.Dataset.range(5))
    run = ManySteps(step)
    assert run(iterator, at_most=2) == CallResult(2, ended=False)
    assert run(iterator, at_most=0) == CallResult(0, ended=False)
    assert int(next(iterator)) == 2
    assert run(iterator, at_most=2) == CallResult(2, ended=False)
    assert run(iterator, at_most=2) == CallResult(0, ended=True)
    assert int(step.total) == 0 + 1 + 3 + 4
    assert run.traces == 1


def test_the_end_within_a_call() -> None:
    assert ManySteps(Counting())(iter(tf.data.Dataset.range(5)), at_most=9) == CallResult(5, ended=True)


def test_it_stops_when_the_step_says_so() -> None:
    step, iterator = Counting(), iter(tf.data.Dataset.range(9))
    run = ManySteps(step, go_on=step.go_on.read_value)
    assert run(iterator, at_most=9) == CallResult(4, ended=False)
    assert run(iterator, at_most=9) == CallResult(0, ended=False)
    assert int(next(iterator)) == 4


def test_what_is_around_the_steps() -> None:
    step, iterator = Counting(), iter(tf.data.Dataset.range(9))
    run = ManySteps(step, around=step)
    run(iterator, at_most=3)
    assert (int(step.at_begin), int(step.at_end)) == (0, 3)
    run(iterator, at_most=2)
    assert (int(step.at_begin), int(step.at_end)) == (3, 10)


def test_batches_of_any_structure() -> None:
    ragged = tf.data.Dataset.range(4).map(lambda i: {"row": tf.RaggedTensor.from_row_splits(tf.range(i), [0, i])})
    total = tf.Variable(0, dtype=tf.int64)
    run = ManySteps(lambda batch: total.assign_add(tf.reduce_sum(batch["row"])))
    assert run(iter(ragged), at_most=9) == CallResult(4, ended=True)
    assert int(total) == 0 + 0 + 1 + 3
