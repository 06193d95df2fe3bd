"""Images in directories that are called like their labels."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from moxing.tensorflow.datasets.failures import WrongArgument, alias
from moxing.tensorflow.datasets.raw.file_dataset import FileDataset
from moxing.tensorflow.datasets.raw.raw_metadata import ImageClassificationRawMetadata
from moxing.tensorflow.datasets.raw.splitting import split_image_classification_dataset

__all__ = ["ImageClassificationRawDataset", "ImageClassificationRawMetadata", "split_image_classification_dataset"]


class ImageClassificationRawDataset(FileDataset):
    """Items: `image`, `label` (a number), `label_desc` (the label's name), `image_name` (the file's).

    Args:
        metadata: an `ImageClassificationRawMetadata`.
        batch_size: give batches of this size; None: single samples. It needs `image_size`, `preprocess_fn` or
            `augmentation_fn`.
        num_readers: how many files are read at the same time.
        num_epochs: after so many passes the data end, and so does the run; None: never.
        shuffle: another order in every pass.
        shuffle_buffer_size: among how many files that have been read the next is drawn, besides.
        capacity: how many files are read ahead.
        cache_dir: copy the files below this directory first; "ENV": that of $DLS_LOCAL_CACHE_PATH.
        preprocess_fn: called with image_name, the bytes of the image file, label and label_desc, of a whole batch if
            there is a `batch_size`; returns the same four, with the image. None: images are decoded, and resized to
            `image_size`.
        preprocess_threads: how many images are decoded at the same time.
        image_size: a number or (height, width); the nearest pixel is taken. None: images keep their size.
        remove_cache_on_finish: delete the copies when the process ends.
        private_num_threads: threads that this dataset has for itself; 0: it takes those of all.
        reader_class: without effect, as `reader_kwargs`.
        drop_remainder: leave out a last batch that is smaller.
        augmentation_fn: called with one decoded image (height, width, channels); returns another.
        label_one_hot: labels are vectors of zeros with a one.
        meta: another spelling of `metadata`.
    """

    def __init__(
        self,
        metadata: ImageClassificationRawMetadata | None = None,
        batch_size: int | None = None,
        num_readers: int = 8,
        num_epochs: int | None = None,
        shuffle: bool = True,
        shuffle_buffer_size: int = 16,
        capacity: int = 256,
        cache_dir: str | None = None,
        preprocess_fn: Callable[..., Any] | None = None,
        preprocess_threads: int = 12,
        image_size: Any = None,
        remove_cache_on_finish: bool = True,
        private_num_threads: int = 0,
        reader_class: Any = None,
        reader_kwargs: Mapping[str, Any] | None = None,
        drop_remainder: Any = False,
        augmentation_fn: Callable[..., Any] | None = None,
        label_one_hot: bool = False,
        meta: ImageClassificationRawMetadata | None = None,
    ) -> None:
        self.metadata = alias(metadata, meta, name="metadata", other_name="meta")
        if not isinstance(self.metadata, ImageClassificationRawMetadata):
            raise WrongArgument(
                f"metadata must be a mox.ImageClassificationRawMetadata, not {self.metadata!r}",
                hint="make one of the directory: mox.ImageClassificationRawMetadata(base_dir=...)",
            )
        super().__init__(
            batch_size=batch_size,
            num_readers=num_readers,
            num_epochs=num_epochs,
            shuffle=shuffle,
            shuffle_buffer_size=shuffle_buffer_size,
            capacity=capacity,
            cache_dir=cache_dir,
            preprocess_fn=preprocess_fn,
            preprocess_threads=preprocess_threads,
            image_size=image_size,
            remove_cache_on_finish=remove_cache_on_finish,
            private_num_threads=private_num_threads,
            reader_class=reader_class,
            reader_kwargs=reader_kwargs,
            drop_remainder=drop_remainder,
            augmentation_fn=augmentation_fn,
            one_hot_classes=self.metadata.num_classes if label_one_hot else 0,
        )

    def _build(self) -> None:
        files = self.metadata.files
        self._build_from(
            [one.name for one in files],
            folder=self.metadata.read_dir,
            labels=np.array([one.label for one in files], np.int64),
            label_desc=[self.metadata.labels_list[one.label] for one in files],
        )
