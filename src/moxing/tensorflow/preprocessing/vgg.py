"""Images for VGG, ResNet and their relatives: parts of an image at several scales; the mean colour is taken away."""

from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.preprocessing.image_size import Size, from_the_middle, randomly_cut, with_short_side

_MEAN_COLOUR = (123.68, 116.78, 103.94)
_MEAN_GREY = 117.73


def augmented(
    image: Any, size: Size, *, is_training: bool, resize_side_min: int = 256, resize_side_max: int = 512
) -> Any:
    """A part of an image.

    Args:
        resize_side_min: the shorter side, before the part is cut out; in training the least that is drawn.
        resize_side_max: the most that is drawn in training.
    """
    least = max(resize_side_min, *size)
    if not is_training:
        return from_the_middle(with_short_side(image, least), size)
    side = tf.random.uniform([], least, max(resize_side_max, least) + 1, dtype=tf.int32)
    return tf.image.random_flip_left_right(randomly_cut(with_short_side(image, side), size))


def normalized(images: Any) -> Any:
    """Colours around zero."""
    return images - (_MEAN_COLOUR if images.shape[-1] == 3 else _MEAN_GREY)
