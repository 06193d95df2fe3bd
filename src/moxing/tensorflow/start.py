"""Starts TensorFlow as scripts of MoXing need it."""

import importlib
import logging
import os
import sys
from typing import Any

from runyard._version import __version__
from runyard.bridge.late_choice import choose_keras_2_late
from runyard.bridge.quiet import quiet_stderr
from runyard.legacy.mends import mend_tensorflow
from runyard.legacy.tolerant_flags import pass_over_moxing_flags
from runyard.telemetry import note

_SILENT = "MOX_SILENT_MODE"


def start() -> None:
    """Imports TensorFlow with Keras 2, mends what TF-Slim and `tf.layers` need, and says which versions these are.

    From now on lines of `tf.logging` are shown from INFO on, until the script calls `tf.logging.set_verbosity`.
    A script may have imported TensorFlow before; which Keras it has is decided when that is first used.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    with quiet_stderr():
        is_keras_2 = choose_keras_2_late()
        tensorflow: Any = importlib.import_module("tensorflow")
        mend_tensorflow()
    pass_over_moxing_flags()
    logger = tensorflow.get_logger()
    if logger.level in (logging.NOTSET, logging.WARNING):  # what it is before anybody has said anything
        logger.setLevel(logging.INFO)
    if not is_keras_2:
        note(
            "tf.keras was used as Keras 3 before moxing.tensorflow was imported; layers of Keras 3 do not work in a"
            " model_fn: import moxing.tensorflow first, or set TF_USE_LEGACY_KERAS=1"
        )
    if os.environ.get(_SILENT, "0") in ("", "0"):
        sys.stderr.write(
            f"INFO:root:Using MoXing-v{__version__}\nINFO:tensorflow:Using TensorFlow-{tensorflow.__version__}\n"
        )
