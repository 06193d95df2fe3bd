"""The images that a network gets: checked, of the right size, normalised, with their channels last."""

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.keys import ModeKeys
from moxing.tensorflow.nets.failures import WrongImages
from moxing.tensorflow.preprocessing.families import FAMILIES
from moxing.tensorflow.preprocessing.image_size import Size, resized

CHANNELS_LAST = "NHWC"
CHANNELS_FIRST = "NCHW"


def default_preprocess_fn(images: Any, run_mode: str, preprocessing: str) -> Any:
    """The network's own normalisation, in float32, whatever images are made of."""
    normalized = FAMILIES[preprocessing].normalized(tf.cast(images, tf.float32))
    return tf.cast(normalized, images.dtype) if images.dtype.is_floating else normalized


def prepared(
    images: Any,
    run_mode: str,
    *,
    preprocess_fn: Callable[..., Any] | None,
    preprocessing: str,
    data_format: str,
    size: Size | None,
) -> Any:
    """Images as the layers of a network take them.

    Args:
        preprocess_fn: of the user, who returns images with their channels where `data_format` says; or ours.
        size: to which they are brought in PREDICT and EXPORT.

    Raises:
        WrongImages: a ValueError, if these are no images.
    """
    images = checked(tf.convert_to_tensor(images))
    given_as = data_format if preprocess_fn is None else CHANNELS_LAST
    if size is not None and run_mode in (ModeKeys.PREDICT, ModeKeys.EXPORT):
        images = _from_last(_of_size(_to_last(images, given_as), size), given_as)
    if preprocess_fn is default_preprocess_fn:
        return default_preprocess_fn(images, run_mode, preprocessing)
    if preprocess_fn is not None:
        images = checked(tf.convert_to_tensor(preprocess_fn(images, run_mode)))
    images = images if images.dtype.is_floating else tf.cast(images, tf.float32)
    return _to_last(images, data_format)


def checked(images: Any) -> Any:
    """Images, or a clear word about what they are instead."""
    if images.shape.rank != 4 or not (images.dtype.is_floating or images.dtype.is_integer):
        raise WrongImages(
            "Input must be of size [batch_size, height, width, C>0]; a network got a tensor of type"
            f" {images.dtype.name} and shape {images.shape}",
            hint="the inputs of model_fn are a list: images are inputs[0]; tf.reshape gives flat images their shape",
        )
    return images


def _of_size(images: Any, size: Size) -> Any:
    if images.shape[1:3].as_list() == list(size):
        return images
    larger = resized(images, size)
    return tf.cast(larger, images.dtype) if images.dtype.is_floating else larger


def _to_last(images: Any, data_format: str) -> Any:
    return tf.transpose(images, [0, 2, 3, 1]) if data_format == CHANNELS_FIRST else images


def _from_last(images: Any, data_format: str) -> Any:
    return tf.transpose(images, [0, 3, 1, 2]) if data_format == CHANNELS_FIRST else images
