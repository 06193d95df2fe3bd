"""From the bytes of image files to what `dataset.get` gives: decoded, resized, augmented, in batches."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.datasets.failures import WrongArgument, optional_number
from moxing.tensorflow.datasets.item_dataset import mapped
from moxing.tensorflow.datasets.told import check
from moxing.tensorflow.executor.lines import lines_shown, warn_line

_HANDED = ("image_name", "image", "label", "label_desc")
Sample = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class ImageWork:
    """What is done to the samples of a dataset.

    Attributes:
        batch_size: None: single samples.
        image_size: height and width, or one number for both; None: images stay as they are.
        preprocess_fn: decodes; gets and returns image_name, image, label and label_desc, of a batch if there are any.
        augmentation_fn: from one decoded image to another one.
        endless: the last batch is never smaller than the others, since there is no last one.
        threads: how many images are decoded at the same time.
        one_hot_classes: labels become vectors of this length; 0: they stay numbers.
    """

    batch_size: int | None
    image_size: Any
    preprocess_fn: Callable[..., Any] | None
    augmentation_fn: Callable[..., Any] | None
    drop_remainder: Any
    endless: bool
    threads: int
    one_hot_classes: int

    def __post_init__(self) -> None:
        optional_number(self.batch_size, "batch_size")
        size_of(self.image_size)
        for name in ("preprocess_fn", "augmentation_fn"):
            if getattr(self, name) is not None and not callable(getattr(self, name)):
                raise WrongArgument(f"{name} must be a function, not {getattr(self, name)!r}")
        if self.batch_size is not None and not (self.image_size or self.preprocess_fn or self.augmentation_fn):
            raise WrongArgument(
                "batch_size needs image_size, preprocess_fn or augmentation_fn: images of a batch have one size",
                hint="give image_size=224, or leave batch_size to mox.run",
            )
        if self.image_size and self.preprocess_fn:
            with lines_shown():
                warn_line("`image_size` has no effect beside `preprocess_fn`, which decides about the size of images")

    def done(self, samples: Any) -> Any:
        """The samples, ready for use.

        Args:
            samples: a tf.data.Dataset of dicts: image_name, image (bytes), label, label_desc, `place` (how to call the
                image in a message), and whatever else.
        """
        if self.preprocess_fn is not None:
            samples = mapped(self._batched(samples), self._preprocessed, threads=self.threads)
            if self.augmentation_fn is not None:
                samples = samples.unbatch() if self.batch_size is not None else samples
                samples = self._batched(mapped(samples, self._augmented, threads=self.threads))
        else:
            samples = mapped(samples, self._decoded, threads=self.threads)
            if self.augmentation_fn is not None:
                samples = mapped(samples, self._augmented, threads=self.threads)
            samples = self._batched(samples)
        if self.one_hot_classes:
            samples = mapped(samples, self._with_one_hot_label, threads=self.threads)
        return samples.prefetch(2)

    def _batched(self, samples: Any) -> Any:
        if self.batch_size is None:
            return samples
        return samples.batch(self.batch_size, drop_remainder=True if self.endless else self.drop_remainder)

    def _preprocessed(self, sample: Sample) -> Sample:
        assert self.preprocess_fn is not None
        returned = self.preprocess_fn(*(sample[name] for name in _HANDED))
        if not isinstance(returned, list | tuple) or len(returned) != len(_HANDED):
            raise WrongArgument(
                f"preprocess_fn must return {', '.join(_HANDED)}, not {returned!r}",
                hint="return all four, those that it leaves alone too",
            )
        return {**sample, **dict(zip(_HANDED, returned, strict=True))}

    def _augmented(self, sample: Sample) -> Sample:
        assert self.augmentation_fn is not None
        return {**sample, "image": self.augmentation_fn(sample["image"])}

    def _decoded(self, sample: Sample) -> Sample:
        image = decoded_or_named(sample["image"], place=sample["place"])
        if self.image_size:
            size = size_of(self.image_size)
            image = tf.image.resize_images(image, size, method=tf.image.ResizeMethod.NEAREST_NEIGHBOR)
            image.set_shape([*size, 3])
        return {**sample, "image": image}

    def _with_one_hot_label(self, sample: Sample) -> Sample:
        return {**sample, "label": tf.one_hot(sample["label"], self.one_hot_classes)}


def size_of(image_size: Any) -> list[int]:
    """Height and width; empty for None.

    Raises:
        WrongArgument: if it is neither a number nor a pair.
    """
    if image_size is None:
        return []
    sizes = list(image_size) if isinstance(image_size, list | tuple) else [image_size, image_size]
    if len(sizes) != 2 or not all(isinstance(size, int) and size > 0 for size in sizes):
        raise WrongArgument(f"image_size must be a number or (height, width), not {image_size!r}")
    return sizes


def decoded_or_named(buffer: Any, *, place: Any) -> Any:
    """The pixels of a JPEG, PNG, GIF (its first picture) or BMP image: height, width, RGB, from 0 to 255.

    A small dataset around the decoder turns its failure into a value, so that the message can name the image.
    """

    def decoded(data: Any) -> tuple[Any, Any]:
        image = tf.io.decode_image(data, channels=3, expand_animations=False)
        image.set_shape([None, None, 3])
        return image, True

    tried = mapped(tf2.data.Dataset.from_tensors(buffer), decoded).ignore_errors()
    nothing = tf2.data.Dataset.from_tensors((tf.zeros([0, 0, 3], tf.uint8), False))
    image, good = tried.concatenate(nothing).take(1).get_single_element()
    text = tf.strings.join([place, " cannot be decoded: it is no JPEG, PNG, GIF or BMP image, or it is damaged"])
    with tf.control_dependencies([check(good, text, hint="repair it or remove it from the dataset")]):
        return tf.identity(image)
