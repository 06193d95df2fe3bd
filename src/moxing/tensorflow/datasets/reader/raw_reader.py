"""The older name of `moxing.tensorflow.datasets.raw.raw_dataset`."""

from moxing.tensorflow.datasets.raw.raw_dataset import (
    ImageClassificationRawDataset,
    ImageClassificationRawMetadata,
    split_image_classification_dataset,
)

__all__ = ["ImageClassificationRawDataset", "ImageClassificationRawMetadata", "split_image_classification_dataset"]
