"""The older name of `moxing.tensorflow.datasets.tfrecord.tfrecord_common`."""

from moxing.tensorflow.datasets.tfrecord.tfrecord_common import (
    BaseTFRecordDataset,
    BaseTFRecordMetadata,
    ImageClassificationTFRecordDataset,
    ImageClassificationTFRecordMetadata,
    get_tfrecord,
)

__all__ = [
    "BaseTFRecordDataset",
    "BaseTFRecordMetadata",
    "ImageClassificationTFRecordDataset",
    "ImageClassificationTFRecordMetadata",
    "get_tfrecord",
]
