"""After a restore into a new dataset of the same seeds, the batches are those of a run without a break, bit by bit."""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.config.train_args import Input
from runyard.data.pipeline import prepare
from runyard.data.position import DataPosition
from runyard.data.tree import Resume, how_to_resume, traits_of
from runyard.errors import CheckpointError

_Dataset = tf.data.Dataset
_STEPS_PER_EPOCH = 5
"""Of endless datasets."""


def _numbers(count: int = 12) -> Any:
    return _Dataset.range(count)


def _files() -> Any:
    return _numbers(3).shuffle(3)


def _rows_of(file: Any) -> Any:
    return _numbers(4).map(lambda number: number + 10 * file)


def _random_number(number: Any) -> Any:
    return number * 1000 + tf.random.uniform([], 0, 1000, tf.int64)


def _python(number: Any) -> Any:
    return tf.ensure_shape(tf.py_function(lambda value: value * 2, [number], tf.int64), [])


def _random_python(number: Any) -> Any:
    draw = tf.numpy_function(lambda value: value * 1000 + np.random.randint(1000), [number], tf.int64)
    return tf.ensure_shape(draw, [])


def _from_numpy() -> Any:
    for number in range(12):
        yield number * 1000 + np.random.randint(1000)


def _from_python() -> Any:
    for number in range(12):
        yield number * 1000 + random.randrange(1000)


def _generated(rows: Callable[[], Any]) -> Any:
    return _Dataset.from_generator(rows, output_signature=tf.TensorSpec([], tf.int64))


def _with_generator() -> Any:
    generator = tf.random.Generator.from_seed(3)
    dataset = _numbers().map(lambda number: number * 1000 + generator.uniform([], 0, 1000, tf.int64)).batch(4)
    dataset.generator = generator
    return dataset


@dataclass(frozen=True)
class _Kind:
    make: Callable[[], Any]
    resume: Resume


_RESTORE, _MAKE, _ORDER, _REPLAY = Resume.RESTORE, Resume.MAKE, Resume.ORDER, Resume.REPLAY

_KINDS = {
    "no shuffle": _Kind(lambda: _numbers(14).batch(4), _RESTORE),
    "repeat": _Kind(lambda: _numbers(10).repeat(2).batch(4), _RESTORE),
    "concatenate": _Kind(lambda: _numbers(5).concatenate(_numbers(6)).batch(4), _RESTORE),
    "endless": _Kind(lambda: _numbers(10).batch(4).repeat(), _RESTORE),
    "shuffle, endless": _Kind(lambda: _numbers(10).shuffle(10).repeat().batch(4), _RESTORE),
    "endless, shuffle": _Kind(lambda: _numbers(10).repeat().shuffle(10).batch(4), _RESTORE),
    "shuffle, map, endless, shuffle": _Kind(
        lambda: _numbers(10).shuffle(4).map(abs, num_parallel_calls=2).repeat().batch(4).shuffle(3), _RESTORE
    ),
    "shuffle": _Kind(lambda: _numbers().shuffle(12).batch(4), _MAKE),
    "small shuffle": _Kind(lambda: _numbers().shuffle(3).batch(4), _MAKE),
    "seeded shuffle": _Kind(lambda: _numbers().shuffle(12, seed=3).batch(4), _MAKE),
    "the same order each epoch": _Kind(lambda: _numbers().shuffle(12, reshuffle_each_iteration=False).batch(4), _MAKE),
    "repeat, shuffle": _Kind(lambda: _numbers().repeat(2).shuffle(12).batch(4), _MAKE),
    "take": _Kind(lambda: _numbers().shuffle(12).take(7).batch(2), _MAKE),
    "take batches": _Kind(lambda: _numbers().shuffle(12).batch(2).take(3), _MAKE),
    "skip": _Kind(lambda: _numbers().shuffle(12).skip(3).batch(2), _MAKE),
    "filter": _Kind(lambda: _numbers().shuffle(12).filter(lambda number: number % 3 != 0).batch(2), _MAKE),
    "parallel map": _Kind(lambda: _numbers().shuffle(12).map(abs, num_parallel_calls=2).batch(2), _MAKE),
    "prefetch": _Kind(lambda: _numbers().shuffle(12).prefetch(4).batch(2).prefetch(2), _MAKE),
    "parallel batches": _Kind(lambda: _numbers().shuffle(12).batch(4, num_parallel_calls=2), _MAKE),
    "padded batches": _Kind(lambda: _numbers().shuffle(12).map(tf.range).padded_batch(3), _MAKE),
    "unbatch": _Kind(lambda: _numbers().shuffle(12).batch(5).unbatch().batch(3), _MAKE),
    "shard": _Kind(lambda: _numbers().shuffle(12, seed=1).shard(2, 0).batch(2), _MAKE),
    "file shuffle, interleave": _Kind(lambda: _files().interleave(_rows_of, cycle_length=2).batch(2), _MAKE),
    "zip of one shuffle": _Kind(lambda: _Dataset.zip(_numbers().shuffle(12), _numbers()).batch(3), _MAKE),
    "two shuffles": _Kind(lambda: _numbers().shuffle(12).batch(2).shuffle(6), _ORDER),
    "three shuffles": _Kind(lambda: _numbers().shuffle(12).map(abs).shuffle(5).batch(2).shuffle(6), _ORDER),
    "take, skip, two shuffles": _Kind(lambda: _numbers().shuffle(12).skip(3).shuffle(4).take(6).batch(2), _ORDER),
    "file shuffle, interleave, shuffle": _Kind(
        lambda: _files().interleave(_rows_of, cycle_length=2, num_parallel_calls=2).shuffle(6).batch(2), _ORDER
    ),
    "takes while, two shuffles": _Kind(
        lambda: _numbers().shuffle(12).take_while(lambda number: number < 90).batch(2).shuffle(6), _REPLAY
    ),
    "zip of shuffles": _Kind(lambda: _Dataset.zip(_numbers().shuffle(12), _numbers(9).shuffle(12)).batch(3), _ORDER),
    "concatenate of shuffles": _Kind(
        lambda: _numbers().shuffle(12).concatenate(_numbers().shuffle(12)).batch(3), _REPLAY
    ),
    "sampled": _Kind(lambda: _Dataset.sample_from_datasets([_numbers().shuffle(12), _numbers()]).batch(3), _REPLAY),
    "random dataset": _Kind(
        lambda: _Dataset.zip(_numbers(), _Dataset.random(rerandomize_each_iteration=True)), _REPLAY
    ),
    "shuffle, repeat": _Kind(lambda: _numbers().shuffle(12).repeat(2).batch(4), _REPLAY),
    "shuffled batches, endless": _Kind(lambda: _numbers(10).shuffle(10).batch(4).repeat(), _REPLAY),
    "two shuffles, endless": _Kind(lambda: _numbers(10).shuffle(10).batch(2).shuffle(3).repeat(), _REPLAY),
    "shuffle in files": _Kind(lambda: _files().flat_map(lambda file: _rows_of(file).shuffle(4)).batch(2), _REPLAY),
    "grouped": _Kind(
        lambda: _numbers().shuffle(12).group_by_window(lambda n: n % 2, lambda _, rows: rows.batch(3), window_size=3),
        _REPLAY,
    ),
    "cache, shuffle": _Kind(lambda: _numbers().cache().shuffle(12).batch(4), _REPLAY),
    "shuffle, cache": _Kind(lambda: _numbers().shuffle(12).cache().batch(4), _REPLAY),
    "random map": _Kind(lambda: _numbers().map(_random_number).batch(4), _REPLAY),
    "random map, cache": _Kind(lambda: _numbers().map(_random_number).cache().shuffle(12).batch(4), _REPLAY),
    "random map, shuffle": _Kind(lambda: _numbers().map(_random_number).shuffle(12).batch(4), _REPLAY),
    "shuffle, random map, endless": _Kind(
        lambda: _numbers().shuffle(12).map(_random_number).batch(4).repeat(), _REPLAY
    ),
    "TensorFlow generator": _Kind(_with_generator, _REPLAY),
    "generator of numpy": _Kind(lambda: _generated(_from_numpy).batch(4), _REPLAY),
    "generator of Python": _Kind(lambda: _generated(_from_python).shuffle(12).batch(4), _REPLAY),
    "Python map": _Kind(lambda: _numbers().shuffle(12).map(_python).batch(4), _REPLAY),
    "random Python map": _Kind(lambda: _numbers().shuffle(12).map(_random_python).batch(4), _REPLAY),
}


class _Reader:
    """A run's view of its data: epochs of batches, with other things in between that draw random numbers."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.said: list[str] = []
        _seed(5)
        dataset = prepare(make(), batch_size=1, already_batched=True, config=Input()).dataset
        self.position = DataPosition(dataset, say=self.said.append)
        _seed(9)

    def read(self, at_most: int | None = None) -> list[Any]:
        found: list[Any] = []
        while at_most is None or len(found) < at_most:
            batch = self.position.iterator.get_next_as_optional()
            self.position.advance(int(batch.has_value()))
            if not batch.has_value():
                break
            found.append([part.numpy().tolist() for part in tf.nest.flatten(batch.get_value())])
        return found

    def epoch(self) -> list[Any]:
        endless = self.position.endless
        found = self.read(_STEPS_PER_EPOCH - self.position.batches if endless else None)
        _draw()
        self.position.end_epoch()
        _draw()
        return found

    def saved(self) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        return self.position.tensors(), json.loads(json.dumps(self.position.values()))


def _seed(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    tf.random.set_seed(seed)


def _draw() -> None:
    random.random()
    np.random.rand(3)
    tf.random.uniform([])


def _cuts(epochs: list[list[Any]], *, endless: bool) -> list[tuple[int, int]]:
    """At the very start, in the middle, before and after the last batch, and right after the end of an epoch."""
    last = [len(epochs[epoch]) - (1 if endless else 0) for epoch in range(3)]
    return [(0, 0), (0, 1), (0, last[0]), (1, 0), (1, 2), (1, last[1] - 1), (1, last[1]), (2, 0), (2, last[2])]


@pytest.mark.parametrize("kind", _KINDS.values(), ids=_KINDS.keys())
def test_the_batches_after_a_restore_are_those_of_a_run_without_a_break(kind: _Kind) -> None:
    whole = _Reader(kind.make)
    expected = [whole.epoch() for _ in range(5)]
    assert how_to_resume(traits_of(kind.make()), saveable=bool(whole.position.tensors())) is kind.resume
    for epoch, batches in _cuts(expected, endless=whole.position.endless):
        first = _Reader(kind.make)
        for _ in range(epoch):
            first.epoch()
        first.read(batches)
        tensors, values = first.saved()
        # Its threads must not draw what belongs to the next reader; a killed process has none.
        first.read(None if not first.position.endless else 0)
        again = _Reader(kind.make)
        again.position.restore(tensors, values)
        found = [again.epoch() for _ in range(3)]
        assert found == [expected[epoch][batches:], *expected[epoch + 1 : epoch + 3]], (epoch, batches)
        count = sum(len(size) for size in expected[:epoch]) + batches
        assert [f"reading {count} batches again" in line for line in again.said] == [True] * (
            kind.resume is Resume.REPLAY and count > 0
        )


def test_a_position_can_be_saved_after_a_restore(tmp_path: Path) -> None:
    def make() -> Any:
        return _files().interleave(_rows_of).shuffle(6).batch(2)

    whole = _Reader(make)
    expected = [whole.epoch() for _ in range(4)]
    reader = _Reader(make)
    for batch in [one for epoch in expected[:3] for one in epoch]:
        assert reader.read(1) == [batch]
        if reader.position.batches == len(expected[0]):
            reader.position.end_epoch()
        tensors, values = reader.saved()
        reader = _Reader(make)
        reader.position.restore(tensors, values)
    assert reader.epoch() == expected[3]


def test_a_replay_says_why_and_how_much() -> None:
    first = _Reader(_KINDS["random map"].make)
    first.epoch()
    first.read(2)
    again = _Reader(_KINDS["random map"].make)
    again.position.restore(*first.saved())
    assert again.said == [
        "this dataset has no position that can be saved (its functions have state: RandomUniformInt): "
        "reading 5 batches again"
    ]


def test_generators_of_python_are_left_alone_where_no_python_runs() -> None:
    reader = _Reader(_KINDS["shuffle"].make)
    _seed(1)
    before = random.getstate()
    reader.read()
    assert random.getstate() == before


def test_a_position_of_other_data_is_refused_with_a_way_out_of_the_command_that_asks() -> None:
    plain = _Reader(lambda: tf.data.Dataset.range(9).batch(2))
    plain.read(2)
    tensors, values = plain.saved()
    mapped = tf.data.Dataset.range(9).map(lambda x: x + 1).batch(2)
    position = DataPosition(mapped, say=print, what="dataset to predict", start_over="without --resume")
    with pytest.raises(CheckpointError, match="does not fit the dataset to predict") as refused:
        position.restore(tensors, values)
    assert (refused.value.hint or "").endswith("or start over without --resume")
