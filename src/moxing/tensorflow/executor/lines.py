"""The console lines: `INFO:tensorflow:...` on stderr, as scripts and their readers know them."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import tensorflow as tf
from rich.text import Text

from runyard.telemetry.console import progress_console
from runyard.telemetry.progress import bar_is_possible

_FORMAT = logging.Formatter("%(levelname)s:%(name)s:%(message)s")
_CHATTER = ("Calling checkpoint listeners",)


class _CurrentStderr(logging.Handler):
    """Writes to what `sys.stderr` is now, above a progress bar if there is one."""

    def emit(self, record: logging.LogRecord) -> None:
        line = _FORMAT.format(record)
        if bar_is_possible():
            progress_console().print(Text(line), soft_wrap=True)
        else:
            sys.stderr.write(f"{line}\n")


def log_line(text: str) -> None:
    """One line at level INFO."""
    tf.get_logger().info("%s", text)


def warn_line(text: str) -> None:
    """One line at level WARNING."""
    tf.get_logger().warning("%s", text)


@contextmanager
def lines_shown() -> Iterator[None]:
    """Shows lines, TensorFlow's own included, while a run lasts; which, `tf.logging.set_verbosity` says."""
    logger = tf.get_logger()
    kept = logger.handlers[:], logger.propagate
    handler = _CurrentStderr()
    handler.addFilter(lambda record: not record.getMessage().startswith(_CHATTER))
    logger.handlers[:], logger.propagate = [handler], False
    try:
        yield
    finally:
        logger.handlers[:], logger.propagate = kept
