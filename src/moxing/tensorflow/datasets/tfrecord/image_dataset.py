"""Records of images with labels."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.datasets.failures import WrongArgument
from moxing.tensorflow.datasets.image_work import ImageWork
from moxing.tensorflow.datasets.item_dataset import mapped, next_element
from moxing.tensorflow.datasets.tfrecord.base_dataset import BaseTFRecordDataset, paired_features
from moxing.tensorflow.datasets.tfrecord.features import portable
from moxing.tensorflow.datasets.tfrecord.tfrecord_metadata import BaseTFRecordMetadata

_ITEMS = ("image", "label", "label_desc", "image_name")


class ImageClassificationTFRecordDataset(BaseTFRecordDataset):
    """Items: `image`, `label`, `label_desc`, `image_name`, and the custom keys.

    Records are those that TF-Slim writes: `image/encoded`, `image/class/label`, and, if they are there,
    `image/class/text` and `image/filename`.

    Args:
        metadata: an `ImageClassificationTFRecordMetadata`; a `BaseTFRecordMetadata` knows no names of labels.
        batch_size: give batches of this size; None: single samples. It needs `image_size`, `preprocess_fn` or
            `augmentation_fn`.
        preprocess_fn: called with image_name, the bytes of the image, label and label_desc, of a whole batch if there
            is a `batch_size`; returns the same four, with the image. None: images are decoded, and resized to
            `image_size`.
        image_size: a number or (height, width); the nearest pixel is taken. None: images keep their size.
        custom_feature_keys: more keys of the records.
        custom_feature_values: what each of them is: `tf.FixedLenFeature(...)` and the like.
        augmentation_fn: called with one decoded image (height, width, channels); returns another.
        label_one_hot: labels are vectors of zeros with a one.
        keys_to_features, items_to_handlers: describe the records instead; then nothing is done to what they give.

    The other arguments are those of `BaseTFRecordDataset`.
    """

    def __init__(
        self,
        metadata: BaseTFRecordMetadata | None = None,
        batch_size: int | None = None,
        shuffle: bool = True,
        shuffle_buffer_size: int = 6400,
        num_parallel: int = 8,
        num_epochs: int | None = None,
        cache_dir: str | None = None,
        preprocess_fn: Callable[..., Any] | None = None,
        image_size: Any = None,
        remove_cache_on_finish: bool = True,
        private_num_threads: int = 0,
        custom_feature_keys: Sequence[str] | None = None,
        custom_feature_values: Sequence[Any] | None = None,
        drop_remainder: Any = False,
        augmentation_fn: Callable[..., Any] | None = None,
        label_one_hot: bool = False,
        *,
        keys_to_features: Mapping[str, Any] | None = None,
        items_to_handlers: Mapping[str, Any] | None = None,
        num_readers: int | None = None,
        meta: BaseTFRecordMetadata | None = None,
    ) -> None:
        super().__init__(
            metadata,
            keys_to_features,
            items_to_handlers,
            shuffle=shuffle,
            shuffle_buffer_size=shuffle_buffer_size,
            num_parallel=num_parallel,
            num_readers=num_readers,
            num_epochs=num_epochs,
            batch_size=batch_size,
            drop_remainder=drop_remainder,
            cache_dir=cache_dir,
            remove_cache_on_finish=remove_cache_on_finish,
            private_num_threads=private_num_threads,
            meta=meta,
        )
        self._custom = paired_features(
            custom_feature_keys, custom_feature_values, names=("custom_feature_keys", "custom_feature_values")
        )
        self._work = None
        if self._handlers is not None:
            unused = {
                "preprocess_fn": preprocess_fn,
                "image_size": image_size,
                "augmentation_fn": augmentation_fn,
                "label_one_hot": label_one_hot,
                "custom_feature_keys": custom_feature_keys,
            }
            given = [name for name, value in unused.items() if value]
            if given:
                raise WrongArgument(f"items_to_handlers decide what the items are; leave out {', '.join(given)}")
            return
        self._work = ImageWork(
            batch_size=batch_size,
            image_size=image_size,
            preprocess_fn=preprocess_fn,
            augmentation_fn=augmentation_fn,
            drop_remainder=drop_remainder,
            endless=num_epochs is None,
            threads=self._num_parallel,
            one_hot_classes=self._one_hot_classes() if label_one_hot else 0,
        )

    def _one_hot_classes(self) -> int:
        found = getattr(self.metadata, "num_classes", 0)
        if not found:
            raise WrongArgument(
                "label_one_hot needs the number of labels",
                hint="give num_classes to mox.ImageClassificationTFRecordMetadata, or a labels.txt in base_dir",
            )
        return int(found)

    def _build(self) -> None:
        if self._work is None:
            super()._build()
            return
        samples = mapped(self._records(), self._sample, threads=self._num_parallel)
        sample = next_element(self._work.done(samples), private_num_threads=self._private_num_threads)
        for item in _ITEMS:
            self._add_feature(item, sample[item])
        for key in self._custom:
            self._add_feature(key, sample["custom"][key])

    def _sample(self, record: Any) -> Mapping[str, Any]:
        features = {
            "image/encoded": tf.io.FixedLenFeature([], tf.string),
            "image/class/label": tf.io.FixedLenFeature([], tf.int64),
            "image/class/text": tf.io.FixedLenFeature([], tf.string, default_value=""),
            "image/filename": tf.io.FixedLenFeature([], tf.string, default_value=""),
        }
        parsed = tf.io.parse_single_example(record, features)
        custom = tf.io.parse_single_example(record, portable(self._custom)) if self._custom else {}
        name, label = parsed["image/filename"], parsed["image/class/label"]
        return {
            "image": parsed["image/encoded"],
            "label": label,
            "label_desc": self._label_desc(label, text=parsed["image/class/text"]),
            "image_name": name,
            "place": tf.strings.join([f"an image in the record files of {self.metadata.base_dir} (", name, ")"]),
            "custom": custom,
        }

    def _label_desc(self, label: Any, *, text: Any) -> Any:
        """The name from `labels.txt`; what the record says, where that has none."""
        names: Mapping[int, str] | None = getattr(self.metadata, "labels_to_names", None)
        if not names:
            return text
        table = tf.constant([names.get(number, "") for number in range(max(names) + 1)])
        known = tf.gather(table, tf.clip_by_value(label, 0, max(names)))
        inside = tf.logical_and(tf.equal(label, tf.clip_by_value(label, 0, max(names))), tf.not_equal(known, ""))
        return tf.where(inside, known, text)
