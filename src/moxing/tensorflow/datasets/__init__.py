"""Datasets of images and of records, made for `input_fn`."""

from moxing.tensorflow.datasets.known_datasets import get_dataset, get_dataset_meta
from moxing.tensorflow.datasets.raw.multilabel_dataset import MultilabelClassificationRawDataset
from moxing.tensorflow.datasets.raw.multilabel_metadata import MultilabelClassificationRawMetadata
from moxing.tensorflow.datasets.raw.raw_dataset import ImageClassificationRawDataset
from moxing.tensorflow.datasets.raw.raw_metadata import ImageClassificationRawMetadata
from moxing.tensorflow.datasets.raw.readers import AsyncRawGenerator, ParallelReader
from moxing.tensorflow.datasets.tfrecord.base_dataset import BaseTFRecordDataset
from moxing.tensorflow.datasets.tfrecord.get_tfrecord import get_tfrecord
from moxing.tensorflow.datasets.tfrecord.image_dataset import ImageClassificationTFRecordDataset
from moxing.tensorflow.datasets.tfrecord.tfrecord_metadata import (
    BaseTFRecordMetadata,
    ImageClassificationTFRecordMetadata,
)

__all__ = [
    "AsyncRawGenerator",
    "BaseTFRecordDataset",
    "BaseTFRecordMetadata",
    "ImageClassificationRawDataset",
    "ImageClassificationRawMetadata",
    "ImageClassificationTFRecordDataset",
    "ImageClassificationTFRecordMetadata",
    "MultilabelClassificationRawDataset",
    "MultilabelClassificationRawMetadata",
    "ParallelReader",
    "get_dataset",
    "get_dataset_meta",
    "get_tfrecord",
]
