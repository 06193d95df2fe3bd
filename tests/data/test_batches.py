from collections.abc import Iterator
from pathlib import Path

import pytest
import tensorflow as tf

from runyard.data.batches import explained, first_batch
from runyard.errors import DataError


def test_the_first_batch_is_the_first_element() -> None:
    assert first_batch(tf.data.Dataset.range(7).batch(2), what="training set").element.numpy().tolist() == [0, 1]


def test_the_first_batch_is_read_once_and_keeps_the_spec_of_the_whole() -> None:
    reads: list[int] = []

    def rows() -> Iterator[int]:
        for row in range(5):
            reads.append(row)
            yield row

    whole = tf.data.Dataset.from_generator(rows, output_signature=tf.TensorSpec([], tf.int32)).batch(2)
    first = first_batch(whole, what="training set")
    assert first.dataset.element_spec == whole.element_spec
    assert [batch.numpy().tolist() for batch in first.dataset] == [[0, 1]]
    assert reads == [0, 1]


def test_an_empty_dataset_is_refused() -> None:
    with pytest.raises(DataError, match=r"the training set is empty\n.*drop_remainder"):
        first_batch(tf.data.Dataset.range(3).batch(4, drop_remainder=True), what="training set")


def test_a_missing_file_is_named() -> None:
    missing = tf.data.TextLineDataset("/no/such/file.csv")
    with pytest.raises(DataError, match=r"^the training set cannot be read: .*/no/such/file.csv.*\n.*data_path"):
        first_batch(missing, what="training set")
    with (
        pytest.raises(DataError, match=r"^training failed: .*/no/such/file.csv.*\n.*data_path"),
        explained("training"),
    ):
        list(missing)


def test_a_file_that_was_cut_off_is_told_with_what_may_be_the_matter(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    with tf.io.TFRecordWriter(str(whole)) as writer:
        writer.write(b"a row of some length")
    half = tmp_path / "half"
    half.write_bytes(whole.read_bytes()[:-8])
    with pytest.raises(DataError, match=r"truncated record.*\n.*damaged or cut off"):
        first_batch(tf.data.TFRecordDataset(str(half)), what="training set")


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
