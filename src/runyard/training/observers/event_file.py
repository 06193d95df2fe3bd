"""Event files, as TensorBoard reads them."""

import contextlib
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from runyard.errors import StorageError

_FLUSH_SECONDS = 10
_HISTOGRAM_BUCKETS = 30
_SHOWN_IMAGES = 3
_SCALAR, _TENSOR, _BLOBS = 1, 2, 3  # SummaryMetadata.data_class


class EventFile:
    """A new event file in a directory.

    Args:
        step: the first step that will be written. TensorBoard hides what other files in the directory hold from there.
        suffix: ends the file's name.
    """

    def __init__(self, directory: Path, *, step: int, suffix: str) -> None:
        seconds, nanoseconds = divmod(time.time_ns(), 10**9)
        # TensorBoard reads the files of a directory in the order of their names.
        name = f"events.out.tfevents.{seconds:010d}.{nanoseconds:09d}.{socket.gethostname()}.{os.getpid()}{suffix}"
        self._path = directory / name
        self._flushed = time.monotonic()
        with self._errors():
            directory.mkdir(parents=True, exist_ok=True)
            self._writer = tf.io.TFRecordWriter(str(self._path))
        self._write(file_version="brain.Event:2")
        self._write(step=step, session_log=tf.compat.v1.SessionLog(status=tf.compat.v1.SessionLog.START))
        self.flush()

    def scalar(self, name: str, value: float, *, step: int) -> None:
        self._summary(name, np.float32(value), plugin="scalars", data_class=_SCALAR, step=step)

    def histogram(self, name: str, values: np.ndarray, *, step: int) -> None:
        """The distribution of finite numbers."""
        counts, edges = np.histogram(values, bins=_HISTOGRAM_BUCKETS)
        buckets = np.stack([edges[:-1], edges[1:], counts.astype(np.float64)], axis=1)
        self._summary(name, buckets, plugin="histograms", data_class=_TENSOR, step=step)

    def images(self, name: str, pixels: np.ndarray, *, step: int) -> None:
        """The first few images of an array of bytes: image, row, column, channel."""
        shown = pixels[:_SHOWN_IMAGES]
        size = [str(pixels.shape[2]).encode(), str(pixels.shape[1]).encode()]
        encoded = [tf.io.encode_png(image).numpy() for image in shown]
        self._summary(name, np.array([*size, *encoded], object), plugin="images", data_class=_BLOBS, step=step)

    def graph(self, graph_def: Any) -> None:
        self._write(graph_def=graph_def.SerializeToString())

    def layers(self, config: str) -> None:
        """The JSON of a Keras model, which TensorBoard draws as its conceptual graph."""
        self._summary(
            "keras",
            np.array(config.encode(), object),
            plugin="graph_keras_model",
            content=b"1",
            data_class=_BLOBS,
            step=0,
        )

    def flush(self) -> None:
        with self._errors():
            self._writer.flush()
        self._flushed = time.monotonic()

    def close(self) -> None:
        with self._errors():
            self._writer.close()

    def _summary(self, name: str, value: Any, *, plugin: str, data_class: int, step: int, content: bytes = b"") -> None:
        metadata = tf.compat.v1.SummaryMetadata(
            plugin_data=tf.compat.v1.SummaryMetadata.PluginData(plugin_name=plugin, content=content),
            data_class=data_class,
        )
        entry = tf.compat.v1.Summary.Value(tag=name, metadata=metadata, tensor=tf.make_tensor_proto(value))
        self._write(step=step, summary=tf.compat.v1.Summary(value=[entry]))

    def _write(self, **fields: Any) -> None:
        with self._errors():
            self._writer.write(tf.compat.v1.Event(wall_time=time.time(), **fields).SerializeToString())
        if time.monotonic() - self._flushed > _FLUSH_SECONDS:
            self.flush()

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (OSError, tf.errors.OpError) as error:
            raise StorageError(f"cannot write {self._path}: {error}") from error
