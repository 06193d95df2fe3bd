from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from runyard.errors import ModelError
from tests.predictions.tables import INT_IDS, MATRICES, SCORES, TEXT_IDS, encoded, finished


def test_an_example_for_each_row(tmp_path: Path) -> None:
    arrays = {"id": TEXT_IDS, "a": MATRICES, "one": SCORES, "flag": SCORES > 0, "n": INT_IDS}
    path = finished(tmp_path, arrays, row_id="id", format="tfrecord", cut=2)
    spec = {
        "id": tf.io.FixedLenFeature([], tf.string),
        "a": tf.io.FixedLenFeature([2, 3], tf.float32),
        "one": tf.io.FixedLenFeature([], tf.float32),
        "flag": tf.io.FixedLenFeature([], tf.int64),
        "n": tf.io.FixedLenFeature([], tf.int64),
    }
    rows = [tf.io.parse_single_example(record, spec) for record in tf.data.TFRecordDataset(str(path))]
    for name, array in arrays.items():
        assert np.array_equal(np.stack([row[name].numpy() for row in rows]), array), name


def test_bytes_are_always_the_same() -> None:
    arrays = dict.fromkeys("zyxwvabcd", SCORES)
    assert encoded(arrays, format="tfrecord", cut=1) == encoded(arrays, format="tfrecord")


def test_numbers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ModelError, match="uint64"):
        encoded({"a": np.arange(2, dtype=np.uint64)}, format="tfrecord")
