"""Examples have the bytes that TensorFlow's own class makes."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.predictions.examples import example_bytes
from tests.predictions.tables import INT_IDS, MATRICES, SCORES, TEXT_IDS

LARGE = np.array([-(2**63), -1, 0, 127, 2**63 - 1])


def feature(values: list[Any]) -> Any:
    if values and isinstance(values[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if not values or isinstance(values[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[int(value) for value in values]))


@pytest.mark.parametrize(
    "columns",
    [
        {"output": SCORES},
        {"zebra": TEXT_IDS, "apple": MATRICES, "Ünit": INT_IDS},
        {"n": LARGE, "flag": SCORES > 0, "double": SCORES.astype(np.float64)},
        {"wide": np.ones((5, 300), np.float32), "many": np.tile(LARGE, (5, 30))},
        {"words": np.stack([TEXT_IDS, TEXT_IDS[::-1]], axis=1), "long": np.array([b"x" * 300] * 5, object)},
        {"nothing": np.zeros((5, 0), np.float32)},
    ],
)
def test_bytes_are_those_of_protocol_buffers(columns: dict[str, np.ndarray]) -> None:
    found = example_bytes(columns, rows=5)
    for row, data in enumerate(found):
        features = {name: feature(np.ravel(array[row]).tolist()) for name, array in columns.items()}
        example = tf.train.Example(features=tf.train.Features(feature=features))
        assert data == example.SerializeToString(deterministic=True)
