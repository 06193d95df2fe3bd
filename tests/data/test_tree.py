from collections.abc import Iterator

import pytest
import tensorflow as tf

from runyard.data.tree import Resume, Traits, how_to_resume, may_be_endless, traits_of


def _numbers(count: int = 12) -> tf.data.Dataset:
    return tf.data.Dataset.range(count)


def _random(number: tf.Tensor) -> tf.Tensor:
    return number + tf.random.uniform([], 0, 9, tf.int64)


def test_shuffles_are_counted_wherever_they_are() -> None:
    assert traits_of(_numbers().batch(2)) == Traits(shuffles=0, endless=False)
    assert traits_of(_numbers().shuffle(3).batch(2).prefetch(1)).shuffles == 1
    assert traits_of(tf.data.Dataset.zip(_numbers().shuffle(3), _numbers().shuffle(3)).shuffle(2)).shuffles == 3


def test_an_endless_dataset_is_known() -> None:
    assert traits_of(_numbers().repeat().batch(2)).endless
    assert not traits_of(_numbers().repeat(2).batch(2)).endless
    assert not traits_of(_numbers().repeat().take(2)).endless


def test_an_endless_dataset_is_known_where_tensorflow_no_longer_counts() -> None:
    evens = _numbers().repeat().filter(lambda n: n % 2 == 0)
    assert traits_of(evens.batch(2).prefetch(1)).endless
    assert traits_of(_numbers().repeat().flat_map(lambda n: _numbers(3)).map(lambda n: n + 1)).endless
    assert not traits_of(evens.take(5).batch(2)).endless
    assert not traits_of(evens.take_while(lambda n: n < 5)).endless
    assert not traits_of(_numbers().filter(lambda n: n > 3)).endless


def test_nobody_knows_where_a_generator_ends() -> None:
    def count() -> Iterator[int]:
        yield from range(3)

    generated = tf.data.Dataset.from_generator(count, output_signature=tf.TensorSpec([], tf.int64))
    assert may_be_endless(generated.batch(2))
    assert not traits_of(generated.batch(2)).endless
    assert not may_be_endless(_numbers().filter(lambda n: n > 3))


@pytest.mark.parametrize(
    ("dataset", "obstacle"),
    [
        (lambda: _numbers().map(_random).batch(2), "its functions have state: RandomUniformInt"),
        (lambda: _numbers().map(_random).shuffle(4), "its functions have state: RandomUniformInt"),
        (lambda: _numbers().map(lambda n: tf.py_function(lambda x: x, [n], tf.int64)), "it runs Python"),
        (
            lambda: _numbers().interleave(lambda n: _numbers().map(_random)),
            "its functions have state: RandomUniformInt",
        ),
        (lambda: _numbers().shuffle(3).repeat(2).batch(2), "a shuffle below Repeat and Batch"),
        (lambda: _numbers().shuffle(3).batch(5).repeat(), "a shuffle below Batch and Repeat"),
        (lambda: _numbers().shuffle(3).concatenate(_numbers()), "a shuffle below Concatenate"),
        (lambda: _numbers().cache().batch(2), "Cache in it"),
        (lambda: tf.data.Dataset.zip(_numbers(), tf.data.Dataset.random()), "Random in it"),
        (lambda: _numbers().shuffle(3).enumerate(), "Variant in it"),
    ],
)
def test_what_stands_in_the_way_is_named(dataset, obstacle: str) -> None:
    traits = traits_of(dataset())
    assert traits.obstacle == obstacle
    assert how_to_resume(traits, saveable=True) is Resume.REPLAY


def test_a_function_that_reads_files_has_no_state() -> None:
    files = tf.data.Dataset.from_tensor_slices(["a", "b"]).shuffle(2)
    assert traits_of(files.interleave(tf.data.TextLineDataset)).obstacle is None


def test_a_shuffle_of_the_names_that_a_reader_gets_is_seen() -> None:
    files = tf.data.Dataset.from_tensor_slices(["a", "b"]).shuffle(2)
    assert traits_of(tf.data.TFRecordDataset(files).batch(2)) == Traits(1, endless=False)
    assert traits_of(tf.data.TextLineDataset(files, num_parallel_reads=2).shuffle(3)) == Traits(2, endless=False)


def test_python_is_found_in_generators() -> None:
    dataset = tf.data.Dataset.from_generator(lambda: iter([1]), output_signature=tf.TensorSpec([], tf.int64))
    assert traits_of(dataset.shuffle(3).batch(2)).python
    assert not traits_of(_numbers().map(_random)).python


@pytest.mark.parametrize(
    ("traits", "saveable", "resume"),
    [
        (Traits(0, endless=False), True, Resume.RESTORE),
        (Traits(1, endless=False), True, Resume.MAKE),
        (Traits(2, endless=False), True, Resume.ORDER),
        (Traits(2, endless=True), True, Resume.RESTORE),
        (Traits(0, endless=False), False, Resume.REPLAY),
        (Traits(1, endless=True, obstacle="x"), True, Resume.REPLAY),
    ],
)
def test_the_cheapest_way_that_is_right_is_chosen(traits: Traits, saveable: bool, resume: Resume) -> None:
    assert how_to_resume(traits, saveable=saveable) is resume
