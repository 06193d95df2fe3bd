"""Images for the networks of CIFAR: shifted a little, darker or brighter; each normalised by itself."""

from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.preprocessing.image_size import Size, from_the_middle, randomly_cut


def augmented(image: Any, size: Size, *, is_training: bool, padding: int = 4) -> Any:
    """In training a shifted part with another light; else the middle.

    Args:
        padding: black pixels around the image, from which a training image is cut.
    """
    if not is_training:
        return from_the_middle(image, size)
    framed = tf.maximum(tf.shape(image)[:2] + 2 * padding, size)
    part = randomly_cut(tf.image.resize_with_crop_or_pad(image, framed[0], framed[1]), size)
    part = tf.image.random_brightness(tf.image.random_flip_left_right(part), max_delta=63)
    return tf.image.random_contrast(part, 0.2, 1.8)


def normalized(images: Any) -> Any:
    """Each image with mean 0 and variance 1."""
    return tf.image.per_image_standardization(images)
