"""tfrecord: a `tf.train.Example` for each row, with a feature for each column."""

import uuid
from pathlib import Path

import tensorflow as tf

from runyard.predictions.columns import Columns
from runyard.predictions.examples import example_bytes
from runyard.predictions.forward import Chunk


class TFRecordEncoder:
    """Floats are float32, whole numbers and truth values int64; several dimensions are flattened in row-major order."""

    def __init__(self, columns: Columns) -> None:
        self._names = columns.names
        # A file of TensorFlow's, in memory: its writer frames records, and knows the check sum of the format.
        self._scratch = f"ram://runyard/{uuid.uuid4().hex}.tfrecord"

    def head(self) -> bytes:
        return b""

    def encode(self, chunk: Chunk) -> bytes:
        arrays = dict(zip(self._names, chunk.arrays, strict=True))
        with tf.io.TFRecordWriter(self._scratch) as writer:
            for example in example_bytes(arrays, rows=chunk.rows):
                writer.write(example)
        with tf.io.gfile.GFile(self._scratch, "rb") as file:
            framed = file.read()
        # Files in memory are not cut off when they are written again.
        tf.io.gfile.remove(self._scratch)
        return framed

    def finish(self, part: Path) -> Path:
        return part
