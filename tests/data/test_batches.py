from collections.abc import Iterator

import pytest
import tensorflow as tf

from runyard.data.batches import batched, first_batch
from runyard.errors import DataError


def test_rows_are_batched_and_none_is_lost() -> None:
    batches = list(batched(tf.data.Dataset.range(7), batch_size=3, already=False))
    assert [batch.numpy().tolist() for batch in batches] == [[0, 1, 2], [3, 4, 5], [6]]


def test_what_the_user_batched_is_left_alone() -> None:
    dataset = tf.data.Dataset.range(7).batch(2)
    assert batched(dataset, batch_size=3, already=True) is dataset


def test_the_first_batch_is_the_first_element() -> None:
    assert first_batch(tf.data.Dataset.range(7).batch(2), what="training set").numpy().tolist() == [0, 1]


def test_an_empty_dataset_is_refused() -> None:
    with pytest.raises(DataError, match=r"the training set is empty\n.*drop_remainder"):
        first_batch(tf.data.Dataset.range(3).batch(4, drop_remainder=True), what="training set")


def test_a_missing_file_is_named() -> None:
    with pytest.raises(DataError, match=r"^the training set cannot be read: .*/no/such/file.csv"):
        first_batch(tf.data.TextLineDataset("/no/such/file.csv"), what="training set")


def test_an_error_in_python_is_told_without_the_names_of_graph_nodes() -> None:
    def rows() -> Iterator[int]:
        raise ValueError("column 3 is missing")
        yield 1

    dataset = tf.data.Dataset.from_generator(rows, output_signature=tf.TensorSpec([], tf.int32))
    with pytest.raises(DataError) as refused:
        first_batch(dataset, what="training set")
    assert str(refused.value) == "the training set cannot be read: ValueError: column 3 is missing"


def test_rows_of_different_shapes_are_refused() -> None:
    ragged = tf.data.Dataset.range(1, 4).map(lambda size: tf.zeros(size))
    with pytest.raises(DataError) as refused:
        first_batch(ragged.batch(2), what="training set")
    assert "{{" not in str(refused.value) and "batch" in str(refused.value)
