"""Images for LeNet: nothing but their size is changed; values from -1 to 1."""

from typing import Any

from moxing.tensorflow.preprocessing.image_size import Size, from_the_middle


def augmented(image: Any, size: Size, *, is_training: bool) -> Any:
    """The middle of an image, in training, too."""
    return from_the_middle(image, size)


def normalized(images: Any) -> Any:
    """Values from -1 to 1."""
    return (images - 128.0) / 128.0
