"""What `model_fn` gets of what `input_fn` returns."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from moxing.tensorflow.executor.failures import WrongValue
from tests.moxing.executor.models import run


class Seen:
    """Runs a model that only looks at its inputs, and keeps their values and shapes."""

    def __init__(self, input_fn: Callable[..., Any], *, steps: int = 3, mode: str = "TRAIN", **arguments: Any) -> None:
        self.values: list[Any] = []
        self.shapes: list[Any] = []

        def model_fn(inputs: Any, run_mode: str) -> Any:
            inputs = inputs.get_input(0) if isinstance(inputs, mox.InputSpec) else inputs
            flat = {str(number): tensor for number, tensor in enumerate(tf.nest.flatten(inputs))}
            self.structure = type(inputs)
            self.shapes = [tensor.shape.as_list() for tensor in flat.values()]
            weight = tf.get_variable("weight", [], initializer=tf.zeros_initializer())
            return mox.ModelSpec(loss=weight * 1.0, output_info=flat)

        def output_fn(outputs: Any) -> None:
            self.values += [[output[key] for key in sorted(output)] for output in outputs]

        run(input_fn=input_fn, model_fn=model_fn, output_fn=output_fn, max_number_of_steps=steps, **arguments)


def numbers(end: int) -> Any:
    return tf.data.make_one_shot_iterator(tf.data.Dataset.range(end)).get_next()


def test_samples_become_batches_in_order_with_known_sizes() -> None:
    seen = Seen(lambda mode: [numbers(100), tf.zeros([2, 3])], batch_size=4)
    assert seen.shapes == [[4], [4, 2, 3]]
    assert [first.tolist() for first, _ in seen.values] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


def test_a_single_tensor_arrives_in_a_list() -> None:
    assert Seen(lambda mode: numbers(100), batch_size=2).structure is list


def test_unknown_dimensions_are_filled_up_with_zeros() -> None:
    def input_fn(mode: str) -> Any:
        number = numbers(100)
        sequence = tf.py_func(lambda length: np.arange(1, length + 1), [number], tf.int64)
        sequence.set_shape([None])
        return number, sequence

    seen = Seen(input_fn, batch_size=3, steps=2)
    assert seen.shapes == [[3], [3, None]]
    assert seen.values[0][1].tolist() == [[0, 0], [1, 0], [1, 2]]
    assert seen.values[1][1].tolist() == [[1, 2, 3, 0, 0], [1, 2, 3, 4, 0], [1, 2, 3, 4, 5]]


def test_what_is_done_after_reading_keeps_the_order() -> None:
    def input_fn(mode: str) -> Any:
        number = numbers(1000)
        return number, tf.reduce_sum(tf.ones([50, 50], tf.int64)) * number

    seen = Seen(input_fn, batch_size=10, steps=20)
    found = np.stack([first for first, _ in seen.values]).ravel()
    assert np.array_equal(found, np.arange(200))
    assert all(np.array_equal(second, first * 2500) for first, second in seen.values)


def test_batches_are_taken_as_they_are() -> None:
    def input_fn(mode: str) -> Any:
        return tf.data.make_one_shot_iterator(tf.data.Dataset.range(100).batch(5)).get_next() * 2

    seen = Seen(input_fn, batch_size=5, auto_batch=False, steps=2)
    assert [values[0].tolist() for values in seen.values] == [[0, 2, 4, 6, 8], [10, 12, 14, 16, 18]]


def test_generators_queues_and_initializable_iterators() -> None:
    def generator(mode: str) -> Any:
        def rows() -> Iterator[int]:
            yield from range(100)

        return tf.data.make_one_shot_iterator(tf.data.Dataset.from_generator(rows, tf.int64, [])).get_next()

    def queue(mode: str) -> Any:
        return tf.cast(tf.train.range_input_producer(100, shuffle=False).dequeue(), tf.int64)

    def initializable(mode: str) -> Any:
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(100))
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
        return iterator.get_next()

    for input_fn in (generator, queue, initializable, lambda mode: tf.data.Dataset.range(100)):
        seen = Seen(input_fn, batch_size=3, steps=2)
        assert [values[0].tolist() for values in seen.values] == [[0, 1, 2], [3, 4, 5]]


def test_a_dict_arrives_as_a_dict() -> None:
    def input_fn(mode: str) -> Any:
        return {"b": numbers(100), "a": tf.constant(1.0)}

    assert Seen(input_fn, batch_size=2).structure is dict


@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("clones", [1, 2])
def test_groups_of_inputs(split: bool, clones: int) -> None:
    def input_fn(mode: str) -> Any:
        spec = mox.InputSpec(split_to_device=split)
        spec.new_input([tf.data.make_one_shot_iterator(tf.data.Dataset.range(100).batch(4)).get_next()])
        return spec

    mox.set_flag("num_gpus", clones)
    seen = Seen(input_fn, batch_size=4, auto_batch=False, steps=2)
    found = np.sort(np.concatenate([values[0] for values in seen.values]))
    assert len(seen.values) == 2 * clones
    # Where each device reads ahead for itself, batches are taken by whoever comes first.
    assert len(set(found)) == len(found) and (split or np.array_equal(found, np.arange(8 * clones)))


def sparse(mode: str) -> Any:
    return tf.data.Dataset.range(100).batch(4).map(lambda rows: (tf.sparse.from_dense(tf.stack([rows, rows], 1)), rows))


@pytest.mark.parametrize("clones", [1, 2])
def test_sparse_batches_arrive_as_they_are(clones: int) -> None:
    def model_fn(inputs: Any, mode: str) -> Any:
        weight = tf.get_variable("weight", [], initializer=tf.zeros_initializer())
        total = tf.sparse.reduce_sum(inputs[0])
        return mox.ModelSpec(loss=weight * 1.0, output_info={"total": total, "rows": inputs[1]})

    mox.set_flag("num_gpus", clones)
    calls: list[Any] = []
    run(input_fn=sparse, model_fn=model_fn, auto_batch=False, batch_size=4, output_fn=calls.append)
    assert all(output["total"] == 2 * output["rows"].sum() for output in calls[0])
    with pytest.raises(WrongValue, match="sparse or ragged"):
        run(input_fn=sparse, model_fn=model_fn, batch_size=4)


def test_a_training_drops_the_last_rows_that_fill_no_batch() -> None:
    assert len(Seen(lambda mode: numbers(10), batch_size=4, steps=0).values) == 2


def test_random_samples_differ_from_step_to_step() -> None:
    seen = Seen(lambda mode: tf.random_uniform([2]), batch_size=2, steps=2)
    assert len(np.unique(np.stack([values[0] for values in seen.values]))) == 8


def test_half_precision_is_a_flag() -> None:
    mox.set_flag("use_fp16", True)
    seen = Seen(lambda mode: [tf.constant(1.0), tf.constant(1)], batch_size=2)
    assert [value.dtype for value in seen.values[0]] == [np.float16, np.int32]


@pytest.mark.parametrize(
    ("input_fn", "words"),
    [
        (lambda mode: None, "returned nothing"),
        (lambda mode: [tf.constant(1.0), None], "is None"),
        (lambda mode: [object()], "must return tensors"),
        (lambda mode: tf.placeholder(tf.float32, [2]), "placeholder"),
        (lambda mode: tf.py_func(lambda: np.float32(1), [], tf.float32), "set_shape"),
    ],
)
def test_what_cannot_be_used_is_said(input_fn: Callable[..., Any], words: str) -> None:
    with pytest.raises(WrongValue, match=words):
        Seen(input_fn, batch_size=2)
