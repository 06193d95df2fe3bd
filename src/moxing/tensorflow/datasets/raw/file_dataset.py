"""What datasets of image files have in common."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.datasets.failures import optional_number, whole_number
from moxing.tensorflow.datasets.image_work import ImageWork
from moxing.tensorflow.datasets.item_dataset import ItemDataset, mapped, next_element
from moxing.tensorflow.datasets.local_copy import readable_files
from moxing.tensorflow.datasets.raw.file_list import FileList
from moxing.tensorflow.datasets.raw.readers import remark_on_reader

_LOOKED_UP_AT_ONCE = 64


class FileDataset(ItemDataset):
    """Reads image files in any order, ahead of their use. The arguments are those of its subclasses."""

    def __init__(
        self,
        *,
        batch_size: int | None,
        num_readers: int,
        num_epochs: int | None,
        shuffle: bool,
        shuffle_buffer_size: int,
        capacity: int,
        cache_dir: str | None,
        preprocess_fn: Callable[..., Any] | None,
        preprocess_threads: int,
        image_size: Any,
        remove_cache_on_finish: bool,
        private_num_threads: int,
        reader_class: Any,
        reader_kwargs: Mapping[str, Any] | None,
        drop_remainder: Any,
        augmentation_fn: Callable[..., Any] | None,
        one_hot_classes: int,
    ) -> None:
        super().__init__()
        self._num_readers = whole_number(num_readers, "num_readers", least=1)
        self._num_epochs = optional_number(num_epochs, "num_epochs")
        self._shuffle = shuffle
        self._shuffle_buffer_size = whole_number(shuffle_buffer_size, "shuffle_buffer_size", least=1)
        self._capacity = whole_number(capacity, "capacity", least=1)
        self._cache = {"cache_dir": cache_dir, "remove_cache_on_finish": remove_cache_on_finish}
        self._private_num_threads = whole_number(private_num_threads, "private_num_threads", least=0)
        self._work = ImageWork(
            batch_size=batch_size,
            image_size=image_size,
            preprocess_fn=preprocess_fn,
            augmentation_fn=augmentation_fn,
            drop_remainder=drop_remainder,
            endless=num_epochs is None,
            threads=whole_number(preprocess_threads, "preprocess_threads", least=1),
            one_hot_classes=one_hot_classes,
        )
        remark_on_reader(reader_class, reader_kwargs)
        self._paths: list[str] | None = None

    def _build_from(self, names: Sequence[str], *, folder: str, labels: Any, label_desc: Sequence[str]) -> None:
        """Adds the items.

        Args:
            names: of the images, relative to `folder`.
            labels: one for each image, as an array; `_label` makes the label of it.
        """
        if self._paths is None:
            self._paths = readable_files(names, folder=folder, **self._cache)
        numbers: Any = tf.data.Dataset.range(len(names))
        if self._shuffle:
            numbers = numbers.shuffle(len(names))
        listed = FileList(self._paths, names, labels, label_desc)
        samples = mapped(numbers.repeat(self._num_epochs).batch(_LOOKED_UP_AT_ONCE), listed.samples)
        samples = mapped(samples.prefetch(1).unbatch(), self._read, threads=self._num_readers).prefetch(self._capacity)
        if self._shuffle:
            samples = samples.shuffle(self._shuffle_buffer_size)
        sample = next_element(self._work.done(samples), private_num_threads=self._private_num_threads)
        for item in ("image", "label", "label_desc", "image_name"):
            self._add_feature(item, sample[item])

    def _read(self, sample: Mapping[str, Any]) -> Mapping[str, Any]:
        return {**sample, "image": tf.io.read_file(sample["place"]), "label": self._label(sample["label"])}

    def _label(self, stored: Any) -> Any:
        return stored
