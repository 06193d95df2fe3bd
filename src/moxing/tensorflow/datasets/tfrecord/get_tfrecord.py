"""`mox.get_tfrecord`: records and their handlers in one call."""

from collections.abc import Mapping, Sequence
from typing import Any

from moxing.framework.file.stores import Url
from moxing.tensorflow.datasets.failures import WrongArgument
from moxing.tensorflow.datasets.tfrecord.base_dataset import BaseTFRecordDataset
from moxing.tensorflow.datasets.tfrecord.tfrecord_metadata import BaseTFRecordMetadata


def get_tfrecord(
    dataset_dir: Url,
    file_pattern: str | Sequence[str] | None = None,
    keys_to_features: Mapping[str, Any] | None = None,
    items_to_handlers: Mapping[str, Any] | None = None,
    num_samples: int | None = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    num_readers: int = 8,
    shuffle_buffer_size: int = 6400,
    capacity: int = 256,
    cache_dir: str | None = None,
    remove_cache_on_finish: bool = True,
    private_num_threads: int = 0,
    *,
    file_patterns: str | Sequence[str] | None = None,
) -> BaseTFRecordDataset:
    """A dataset of single records; `dataset.get([...])` gives the items of `items_to_handlers`.

    Args:
        dataset_dir: where the files are.
        file_pattern: which files, such as `*.tfrecord`; `file_patterns` is the same.
        keys_to_features: `{key: tf.FixedLenFeature(...)}`: what is in a record.
        items_to_handlers: `{item: slim.tfexample_decoder.Tensor(key)}` and the like.

    The other arguments are those of `BaseTFRecordMetadata` and `BaseTFRecordDataset`.

    Raises:
        WrongArgument: if one of the descriptions is missing.
        WrongData: if there are no such files.
    """
    if keys_to_features is None or items_to_handlers is None:
        raise WrongArgument(
            "mox.get_tfrecord needs keys_to_features and items_to_handlers",
            hint="such as {'y': tf.FixedLenFeature([], tf.int64)} and {'y': slim.tfexample_decoder.Tensor('y')}",
        )
    metadata = BaseTFRecordMetadata(dataset_dir, file_pattern, num_samples=num_samples, file_patterns=file_patterns)
    return BaseTFRecordDataset(
        metadata,
        keys_to_features,
        items_to_handlers,
        shuffle=shuffle,
        shuffle_buffer_size=shuffle_buffer_size,
        num_readers=num_readers,
        num_epochs=num_epochs,
        capacity=capacity,
        cache_dir=cache_dir,
        remove_cache_on_finish=remove_cache_on_finish,
        private_num_threads=private_num_threads,
    )
