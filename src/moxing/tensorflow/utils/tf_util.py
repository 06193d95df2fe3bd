"""What TensorFlow this is."""

import re

import tensorflow as tf


def version_info() -> tuple[int, ...]:
    """The version as numbers, to compare with a tuple such as `(1, 13, 0)`."""
    return tuple(int(part) for part in re.findall(r"\d+", tf.__version__)[:3])
