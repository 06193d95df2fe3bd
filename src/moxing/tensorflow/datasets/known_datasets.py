"""Datasets that have a name: mnist, cifar10, flowers and imagenet, as TF-Slim's converters write them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]
from tf_slim.data import tfexample_decoder

from moxing.framework.file.stores import Url
from moxing.tensorflow.datasets.failures import WrongArgument
from moxing.tensorflow.datasets.tfrecord.base_dataset import BaseTFRecordDataset
from moxing.tensorflow.datasets.tfrecord.get_tfrecord import get_tfrecord


@dataclass(frozen=True)
class DatasetMeta:
    """A dataset that has a name.

    Attributes:
        splits_to_sizes: how many samples each split has, that for training first.
        file_pattern: the files of a split; `{}` is its name.
        image_shape: height, width, channels; None: images differ.
    """

    name: str
    splits_to_sizes: Mapping[str, int]
    num_classes: int
    file_pattern: str
    image_shape: tuple[int, int, int] | None = None
    has_texts: bool = False


_KNOWN = {
    meta.name: meta
    for meta in (
        DatasetMeta("mnist", {"train": 60000, "test": 10000}, 10, "mnist_{}.tfrecord", (28, 28, 1)),
        DatasetMeta("cifar10", {"train": 50000, "test": 10000}, 10, "cifar10_{}.tfrecord", (32, 32, 3)),
        DatasetMeta("flowers", {"train": 3320, "validation": 350}, 5, "flowers_{}_*.tfrecord"),
        DatasetMeta("imagenet", {"train": 1281167, "validation": 50000}, 1001, "{}-*", has_texts=True),
    )
}


def get_dataset_meta(name: str) -> DatasetMeta:
    """What is known of a dataset.

    Raises:
        WrongArgument: if there is none of this name.
    """
    if name not in _KNOWN:
        raise WrongArgument(f"there is no dataset {name!r}", hint=f"datasets: {', '.join(_KNOWN)}")
    return _KNOWN[name]


def get_dataset(
    name: str,
    split_name: str,
    dataset_dir: Url,
    capacity: int = 256,
    num_readers: int = 8,
    num_epochs: int | None = None,
    shuffle: bool = True,
) -> BaseTFRecordDataset:
    """Single samples of a dataset: `get(["image", "label"])`.

    Args:
        name: mnist, cifar10, flowers or imagenet.
        split_name: one of `get_dataset_meta(name).splits_to_sizes`.
        dataset_dir: where the TFRecord files are.
        capacity: how many records are read ahead.

    The other arguments are those of `BaseTFRecordDataset`.

    Raises:
        WrongArgument: if there is no such dataset or split.
    """
    meta = get_dataset_meta(name)
    if split_name not in meta.splits_to_sizes:
        raise WrongArgument(
            f"{name} has no split {split_name!r}", hint=f"splits of {name}: {', '.join(meta.splits_to_sizes)}"
        )
    features, handlers = _decoding(meta)
    return get_tfrecord(
        dataset_dir,
        meta.file_pattern.format(split_name),
        features,
        handlers,
        num_samples=meta.splits_to_sizes[split_name],
        num_epochs=num_epochs,
        shuffle=shuffle,
        num_readers=num_readers,
        capacity=capacity,
    )


def _decoding(meta: DatasetMeta) -> tuple[dict[str, Any], dict[str, Any]]:
    features: dict[str, Any] = {
        "image/encoded": tf.io.FixedLenFeature([], tf.string),
        "image/format": tf.io.FixedLenFeature([], tf.string, default_value="jpeg"),
        "image/class/label": tf.io.FixedLenFeature([], tf.int64),
    }
    image = {} if meta.image_shape is None else {"shape": meta.image_shape, "channels": meta.image_shape[-1]}
    handlers: dict[str, Any] = {
        "image": tfexample_decoder.Image(**image),
        "label": tfexample_decoder.Tensor("image/class/label", shape=[]),
    }
    if meta.has_texts:
        features["image/class/text"] = tf.io.FixedLenFeature([], tf.string, default_value="")
        handlers["label_text"] = tfexample_decoder.Tensor("image/class/text")
    return features, handlers
