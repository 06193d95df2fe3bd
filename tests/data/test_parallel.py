"""Fixed numbers of threads and buffers: the same elements, without TensorFlow's search."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.config.train_args import Input
from runyard.data.parallel import with_fixed_numbers
from runyard.data.pipeline import prepare
from runyard.data.position import DataPosition


def elements(dataset: Any) -> list[Any]:
    return [np.asarray(element).tolist() for element in dataset]


def source() -> Any:
    tf.random.set_seed(3)
    return tf.data.Dataset.range(50)


PIPELINES = {
    "map": lambda: source().map(lambda x: x * 2).batch(8),
    "batch, map": lambda: source().batch(8).map(lambda x: x * 2),
    "shuffle, map, prefetch": lambda: source().shuffle(20).batch(8).map(lambda x: x + 1).prefetch(tf.data.AUTOTUNE),
    "parallel map": lambda: source().map(lambda x: x * 2, num_parallel_calls=tf.data.AUTOTUNE).batch(8, True),
    "no map": lambda: source().shuffle(50).batch(8).prefetch(2),
    "take, repeat": lambda: source().map(lambda x: x * 2).take(20).repeat(2).batch(8),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_elements_and_order_stay_the_same_over_epochs(name: str) -> None:
    plain = PIPELINES[name]()
    expected = [elements(plain) for _ in range(3)]
    fixed = with_fixed_numbers(PIPELINES[name](), threads=2)
    assert fixed is not None
    assert [elements(fixed) for _ in range(3)] == expected
    assert fixed.element_spec == plain.element_spec


@pytest.mark.parametrize("name", PIPELINES)
def test_nothing_is_left_to_search(name: str) -> None:
    result = prepare(PIPELINES[name](), batch_size=0, already_batched=True, config=Input(vectorize=False))
    assert result.dataset.options().autotune.enabled is False


def test_maps_run_on_the_threads_that_are_asked_for() -> None:
    fixed = with_fixed_numbers(source().batch(8).map(lambda x: x * 2), threads=3)
    assert fixed is not None
    assert int(fixed._num_parallel_calls) == 3


def test_python_of_the_user_is_not_traced_again() -> None:
    traces = []

    def double(x: Any) -> Any:
        traces.append(x)
        return x * 2

    dataset = source().batch(8).map(double)
    before = len(traces)
    fixed = with_fixed_numbers(dataset, threads=2)
    assert elements(fixed) == elements(dataset)
    assert len(traces) == before


@pytest.mark.parametrize(
    "dataset",
    [
        lambda: source().map(lambda x: x + tf.random.uniform([], 0, 9, tf.int64)).batch(8),
        lambda: source().map(lambda x: tf.numpy_function(lambda v: v, [x], tf.int64)).batch(8),
        lambda: source().interleave(lambda x: tf.data.Dataset.range(x), num_parallel_calls=tf.data.AUTOTUNE).batch(8),
        lambda: source().map(lambda x: x).filter(lambda x: x > 3).batch(8),
    ],
    ids=["random", "python", "interleave", "map below a filter"],
)
def test_what_needs_order_or_the_search_is_left_alone(dataset: Any) -> None:
    assert with_fixed_numbers(dataset(), threads=2) is None
    prepared = prepare(dataset(), batch_size=0, already_batched=True, config=Input())
    assert prepared.dataset.options().autotune.enabled is True


@pytest.mark.parametrize("cut", [0, 3, 6, 7])
def test_the_position_can_be_saved(cut: int) -> None:
    def position() -> DataPosition:
        fixed = with_fixed_numbers(PIPELINES["shuffle, map, prefetch"](), threads=2)
        assert fixed is not None
        return DataPosition(fixed, say=lambda text: None)

    def read(place: DataPosition, batches: int) -> list[Any]:
        found = [next(place.iterator).numpy().tolist() for _ in range(batches)]
        place.advance(batches)
        return found

    straight = position()
    read(straight, cut)
    tensors, values = straight.tensors(), straight.values()
    rest = read(straight, 7 - cut)
    straight.end_epoch()
    following = read(straight, 7)
    again = position()
    again.restore(tensors, values)
    assert read(again, 7 - cut) == rest
    again.end_epoch()
    assert read(again, 7) == following
