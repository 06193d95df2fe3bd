"""The file format of MNIST: big-endian numbers that say the shape, then one byte for each value, all in gzip."""

import gzip
from typing import Any

import numpy as np

_IMAGES_MAGIC, _LABELS_MAGIC = 2051, 2049


def extract_images(f: Any) -> Any:
    """The images in an open `idx.gz` file: (number, height, width, 1), values from 0 to 255."""
    values, shape = _values(f, magic=_IMAGES_MAGIC, dimensions=3)
    return values.reshape(*shape, 1)


def extract_labels(f: Any, one_hot: bool = False, num_classes: int = 10) -> Any:
    """The labels in an open `idx.gz` file."""
    values, _ = _values(f, magic=_LABELS_MAGIC, dimensions=1)
    return dense_to_one_hot(values, num_classes) if one_hot else values


def dense_to_one_hot(labels_dense: Any, num_classes: int) -> Any:
    """A row for each label, with a one in its column."""
    return np.eye(num_classes)[labels_dense]


def _values(file: Any, *, magic: int, dimensions: int) -> tuple[Any, tuple[int, ...]]:
    with gzip.GzipFile(fileobj=file) as unpacked:
        data = unpacked.read()
    header = np.frombuffer(data[: 4 * (1 + dimensions)], dtype=">u4")
    if len(header) != 1 + dimensions or header[0] != magic:
        name = getattr(file, "name", file)
        raise ValueError(f"Invalid magic number {header[:1].tolist()} in MNIST file: {name}, expected {magic}")
    shape = tuple(int(size) for size in header[1:])
    return np.frombuffer(data, dtype=np.uint8, offset=4 * (1 + dimensions)), shape
