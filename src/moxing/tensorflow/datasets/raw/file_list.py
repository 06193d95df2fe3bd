"""The files of a dataset, by number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]


@dataclass(frozen=True)
class FileList:
    """What is known of each file before it is read.

    The list stays in Python: a graph is copied several times on its way into a session, and a million names with it.

    Attributes:
        paths: where the files are.
        names: the same, relative to the dataset; the last part is the name of the image.
        labels: an array of numbers, or of texts.
    """

    paths: Sequence[str]
    names: Sequence[str]
    labels: Any
    label_desc: Sequence[str]

    def samples(self, numbers: Any) -> Mapping[str, Any]:
        """Those of a vector of numbers, as tensors."""
        label_type = tf.string if self.labels.dtype.kind == "U" else tf.as_dtype(self.labels.dtype)
        types = {"place": tf.string, "image_name": tf.string, "label": label_type, "label_desc": tf.string}
        found = tf.numpy_function(self._columns, [numbers], list(types.values()))
        for column in found:
            column.set_shape([None])
        return dict(zip(types, found, strict=True))

    def _columns(self, numbers: Any) -> tuple[Any, ...]:
        labels = self.labels[numbers]
        return (
            _texts(self.paths[number] for number in numbers),
            _texts(str(self.names[number]).rpartition("/")[2] for number in numbers),
            _texts(labels) if labels.dtype.kind == "U" else labels,
            _texts(self.label_desc[number] for number in numbers),
        )


def _texts(values: Any) -> Any:
    # Names of files need not be valid UTF-8.
    return np.array([str(value).encode(errors="surrogateescape") for value in values], object)
