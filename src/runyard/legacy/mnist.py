"""`tensorflow.examples.tutorials.mnist.input_data`: MNIST and its kin, from the four `idx.gz` files in a folder."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from runyard.errors import DataError
from runyard.legacy.idx import dense_to_one_hot, extract_images, extract_labels

__all__ = ["DataSet", "Datasets", "dense_to_one_hot", "extract_images", "extract_labels", "read_data_sets"]

TRAIN_IMAGES, TRAIN_LABELS = "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"
TEST_IMAGES, TEST_LABELS = "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"


class DataSet:
    """Images and labels that batches are drawn from, epoch after epoch.

    Args:
        images: of shape (number, height, width, 1), values from 0 to 255.
        dtype: `float32` scales the values to 0..1, `uint8` leaves them.
        reshape: each image becomes one row.
    """

    def __init__(
        self,
        images: Any,
        labels: Any,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: Any = "float32",
        reshape: bool = True,
        seed: int | None = None,
    ) -> None:
        self._random = np.random.RandomState(seed)
        kind = np.dtype(getattr(dtype, "as_numpy_dtype", dtype))
        if kind not in (np.dtype("uint8"), np.dtype("float32")):
            raise TypeError(f"Invalid image dtype {dtype!r}, expected uint8 or float32")
        self.one_hot = one_hot
        if fake_data:
            self._images, self._labels = np.ones((10000, 784), kind), np.zeros((10000, 10) if one_hot else 10000)
        else:
            if reshape:
                images = images.reshape(len(images), int(np.prod(images.shape[1:])))
            self._images = np.multiply(images.astype("float32"), 1.0 / 255.0) if kind == np.float32 else images
            self._labels = labels
        self._epochs_completed = 0
        self._index_in_epoch = 0

    @property
    def images(self) -> Any:
        return self._images

    @property
    def labels(self) -> Any:
        return self._labels

    @property
    def num_examples(self) -> int:
        return len(self._images)

    @property
    def epochs_completed(self) -> int:
        return self._epochs_completed

    def next_batch(self, batch_size: int, fake_data: bool = False, shuffle: bool = True) -> tuple[Any, Any]:
        """The next examples; a batch at the end of an epoch is filled up from the next one.

        Args:
            fake_data: taken for the sake of old calls; a set of fake data gives fake batches anyway.
        """
        del fake_data
        start = self._index_in_epoch
        if start == 0 and self._epochs_completed == 0 and shuffle:
            self._shuffle()
        if start + batch_size <= self.num_examples:
            self._index_in_epoch = start + batch_size
            return self._images[start : self._index_in_epoch], self._labels[start : self._index_in_epoch]
        self._epochs_completed += 1
        rest_images, rest_labels = self._images[start:], self._labels[start:]
        if shuffle:
            self._shuffle()
        self._index_in_epoch = batch_size - len(rest_images)
        return (
            np.concatenate([rest_images, self._images[: self._index_in_epoch]]),
            np.concatenate([rest_labels, self._labels[: self._index_in_epoch]]),
        )

    def _shuffle(self) -> None:
        order = self._random.permutation(self.num_examples)
        self._images, self._labels = self._images[order], self._labels[order]


@dataclass(frozen=True)
class Datasets:
    """What `read_data_sets` gives."""

    train: DataSet
    validation: DataSet
    test: DataSet


def read_data_sets(
    train_dir: str,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: Any = "float32",
    reshape: bool = True,
    validation_size: int = 5000,
    seed: int | None = None,
    source_url: str | None = None,
) -> Datasets:
    """Reads the four files. Nothing is downloaded; `source_url` is taken for the sake of old calls.

    Raises:
        DataError: if a file is missing or is not in the idx format.
    """
    del source_url
    options: dict[str, Any] = {"one_hot": one_hot, "dtype": dtype, "reshape": reshape, "seed": seed}
    if fake_data:
        return Datasets(*(DataSet(None, None, fake_data=True, **options) for _ in range(3)))
    images, labels = _images(train_dir, TRAIN_IMAGES), _labels(train_dir, TRAIN_LABELS, one_hot=one_hot)
    test = DataSet(_images(train_dir, TEST_IMAGES), _labels(train_dir, TEST_LABELS, one_hot=one_hot), **options)
    if not 0 <= validation_size <= len(images):
        raise ValueError(f"Validation size should be between 0 and {len(images)}. Received: {validation_size}.")
    return Datasets(
        train=DataSet(images[validation_size:], labels[validation_size:], **options),
        validation=DataSet(images[:validation_size], labels[:validation_size], **options),
        test=test,
    )


def _images(folder: str, name: str) -> Any:
    return _read(folder, name, read=extract_images)


def _labels(folder: str, name: str, *, one_hot: bool) -> Any:
    return _read(folder, name, read=lambda file: extract_labels(file, one_hot=one_hot))


def _read(folder: str, name: str, *, read: Any) -> Any:
    import tensorflow

    files: Any = tensorflow.io.gfile
    path = f"{str(folder).rstrip('/')}/{name}" if folder else name
    if not files.exists(path):
        raise DataError(
            f"MNIST: there is no file {path}",
            hint=f"put {TRAIN_IMAGES}, {TRAIN_LABELS}, {TEST_IMAGES} and {TEST_LABELS} there; they are not downloaded",
        )
    with files.GFile(path, "rb") as file:
        return read(file)
