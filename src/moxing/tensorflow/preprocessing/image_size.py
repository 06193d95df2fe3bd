"""The size of an image, and how it is brought to another."""

from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]


class Size(NamedTuple):
    """Of an image, in pixels."""

    height: int
    width: int


def resized(images: Any, size: Size) -> Any:
    """Images of exactly this size, stretched if need be; one or a batch, as floats."""
    return tf.image.resize_bilinear(images, size) if images.shape.rank == 4 else _one(images, size)


def _one(image: Any, size: Any) -> Any:
    return tf.squeeze(tf.image.resize_bilinear(tf.expand_dims(image, 0), size), 0)


def with_short_side(image: Any, side: Any) -> Any:
    """An image whose shorter side has `side` pixels and whose proportions are kept."""
    now = tf.shape(image)[:2]
    scale = tf.cast(side, tf.float32) / tf.cast(tf.reduce_min(now), tf.float32)
    wanted = tf.cast(tf.round(tf.cast(now, tf.float32) * scale), tf.int32)
    return _one(image, tf.maximum(wanted, side))


def randomly_cut(image: Any, size: Size) -> Any:
    """A part of an image, from anywhere in it."""
    return tf.image.random_crop(image, [*size, image.shape[2] or tf.shape(image)[2]])


def from_the_middle(image: Any, size: Size) -> Any:
    """The middle of an image; what it lacks is black."""
    return tf.image.resize_with_crop_or_pad(image, *size)
