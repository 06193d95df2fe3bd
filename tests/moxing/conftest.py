"""Runs with flags of their own. MoXing starts TensorFlow, so it is imported before the modules under test."""

from collections.abc import Iterator

import pytest

from moxing.tensorflow.utils.hyper_param_flags import mox_flags


@pytest.fixture(autouse=True)
def default_flags() -> Iterator[None]:
    mox_flags.parse(["train.py"])
    yield
    mox_flags.parse(["train.py"])


@pytest.fixture(autouse=True)
def default_lines() -> Iterator[None]:
    """Other engines in this process may have quieted TensorFlow."""
    import tensorflow as tf

    logger = tf.get_logger()
    level = logger.level
    logger.setLevel("INFO")
    yield
    logger.setLevel(level)
