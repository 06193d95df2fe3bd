"""Images that have several labels each."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.datasets.failures import WrongArgument, WrongData, alias
from moxing.tensorflow.datasets.folders import some
from moxing.tensorflow.datasets.raw.file_dataset import FileDataset
from moxing.tensorflow.datasets.raw.multilabel_metadata import MultilabelClassificationRawMetadata
from moxing.tensorflow.executor.lines import lines_shown, log_line


class MultilabelClassificationRawDataset(FileDataset):
    r"""Items: `image`, `label`, `label_desc` (the labels' names, with `label_sep` between them), `image_name`.

    A label is a vector of zeros with a one for each label of the image. The other arguments are those of
    `ImageClassificationRawDataset`.

    Args:
        label_sep: what is between the labels in a file; spaces are understood, too. "n" is the "\n" that old
            documents print.
        skip_label_not_found: leave out images without a file of labels; otherwise they are an error.
    """

    def __init__(
        self,
        metadata: MultilabelClassificationRawMetadata | None = None,
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
        label_sep: str = "\n",
        skip_label_not_found: bool = False,
        augmentation_fn: Callable[..., Any] | None = None,
        meta: MultilabelClassificationRawMetadata | None = None,
    ) -> None:
        self.metadata = alias(metadata, meta, name="metadata", other_name="meta")
        if not isinstance(self.metadata, MultilabelClassificationRawMetadata):
            raise WrongArgument(
                f"metadata must be a mox.MultilabelClassificationRawMetadata, not {self.metadata!r}",
                hint="make one of the directory: mox.MultilabelClassificationRawMetadata(base_dir=...)",
            )
        if not label_sep:
            raise WrongArgument("label_sep is empty", hint="give what is between two labels, such as '\\n' or ','")
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
            one_hot_classes=0,
        )
        self._separator = "\n" if label_sep == "n" else label_sep
        self._images = self._chosen(skip=skip_label_not_found)
        self._labels = [self.metadata.labels_of(image, separator=self._separator) for image in self._images]

    def _chosen(self, *, skip: bool) -> list[str]:
        images = self.metadata.images
        without = [image for image in images if not self.metadata.has_labels(image)]
        if without and not skip:
            raise WrongData(
                f"{len(without)} of {len(images)} images have no labels: {some(without)}",
                hint=f"write {self.metadata.labels_path(without[0])}, or give skip_label_not_found=True",
            )
        if len(without) == len(images):
            raise WrongData(f"no image has labels: {some(without)}", hint="labels_sub_dir says where the labels are")
        if without:
            with lines_shown():
                log_line(f"Skipped {len(without)} of {len(images)} images that have no labels: {some(without)}")
        return [image for image in images if self.metadata.has_labels(image)]

    def _build(self) -> None:
        names = self.metadata.labels_to_names
        self._build_from(
            self._images,
            folder=self.metadata.read_dir,
            labels=np.array([" ".join(map(str, labels)) for labels in self._labels]),
            label_desc=[self._separator.join(names[label] for label in labels) for labels in self._labels],
        )

    def _label(self, stored: Any) -> Any:
        numbers = tf.strings.to_number(tf.strings.split([stored]).values, tf.int64)
        vector = tf.reduce_sum(tf.one_hot(numbers, self.metadata.num_classes), axis=0)
        vector.set_shape([self.metadata.num_classes])
        return vector
