"""The names that scripts import from here."""

from moxing.tensorflow.datasets.tfrecord.base_dataset import BaseTFRecordDataset
from moxing.tensorflow.datasets.tfrecord.get_tfrecord import get_tfrecord
from moxing.tensorflow.datasets.tfrecord.image_dataset import ImageClassificationTFRecordDataset
from moxing.tensorflow.datasets.tfrecord.tfrecord_metadata import (
    BaseTFRecordMetadata,
    ImageClassificationTFRecordMetadata,
)

__all__ = [
    "BaseTFRecordDataset",
    "BaseTFRecordMetadata",
    "ImageClassificationTFRecordDataset",
    "ImageClassificationTFRecordMetadata",
    "get_tfrecord",
]
