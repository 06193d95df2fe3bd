"""Whether TensorFlow's own log is shown."""

import logging
from pathlib import Path

import pytest

from runyard.bridge import start_tensorflow
from runyard.errors import CallbackFailed
from tests.runner.jobs import SCRIPT, train_here, write_job

tf = start_tensorflow(2)


class Kept(logging.Handler):
    """What reaches a logger's handlers."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def test_verbose_shows_what_tensorflow_logs(tmp_path: Path) -> None:
    remark = "    tf.get_logger().info('a remark of TensorFlow'); raise RuntimeError('that was all')"
    talking = SCRIPT.replace("    inputs = KERAS.Input((6,))", remark)
    kept = Kept()
    tf.get_logger().addHandler(kept)
    try:
        for verbose, lines in ((True, ["a remark of TensorFlow"]), (False, [])):
            kept.lines.clear()
            with pytest.raises(CallbackFailed, match="that was all"):
                train_here(write_job(tmp_path / "job", script=talking, verbose=verbose))
            assert kept.lines == lines
    finally:
        tf.get_logger().removeHandler(kept)
