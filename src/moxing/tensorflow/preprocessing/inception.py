"""Images for Inception and the mobile networks: distorted parts of an image; values from -1 to 1."""

from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.preprocessing.image_size import Size, resized

_WHOLE = [[[0.0, 0.0, 1.0, 1.0]]]


def augmented(
    image: Any,
    size: Size,
    *,
    is_training: bool,
    fast_mode: bool = True,
    area_range: tuple[float, float] = (0.05, 1.0),
    aspect_ratio_range: tuple[float, float] = (0.75, 1.33),
    central_fraction: float = 0.875,
) -> Any:
    """In training a distorted part of an image with other colours; else the middle of it.

    Args:
        fast_mode: brightness and saturation are changed alone, not hue and contrast, which take longer.
        area_range: the part's share of the image.
        aspect_ratio_range: the part's width divided by its height.
        central_fraction: the share of each side that is taken when not training.
    """
    if not is_training:
        return resized(tf.image.central_crop(image, central_fraction), size)
    begin, extent, _ = tf.image.sample_distorted_bounding_box(
        tf.shape(image),
        bounding_boxes=_WHOLE,
        min_object_covered=0.1,
        aspect_ratio_range=aspect_ratio_range,
        area_range=area_range,
        max_attempts=100,
        use_image_if_no_bounding_boxes=True,
    )
    part = tf.slice(image, begin, extent)
    part.set_shape([None, None, image.shape[2]])
    return _other_colours(tf.image.random_flip_left_right(resized(part, size)), fast_mode=fast_mode)


def _other_colours(image: Any, *, fast_mode: bool) -> Any:
    has_colours = image.shape[2] == 3
    changed = tf.image.random_brightness(image / 255.0, max_delta=32 / 255)
    if has_colours:
        changed = tf.image.random_saturation(changed, 0.5, 1.5)
    if has_colours and not fast_mode:
        changed = tf.image.random_hue(changed, 0.2)
    if not fast_mode:
        changed = tf.image.random_contrast(changed, 0.5, 1.5)
    return tf.clip_by_value(changed, 0.0, 1.0) * 255.0


def normalized(images: Any) -> Any:
    """Values from -1 to 1."""
    return images / 127.5 - 1.0
