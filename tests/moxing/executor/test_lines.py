"""Console lines."""

import pytest
import tensorflow as tf

from moxing.tensorflow.executor.lines import lines_shown, log_line, warn_line


def test_lines_begin_with_their_level(capsys: pytest.CaptureFixture[str]) -> None:
    with lines_shown():
        log_line("100% of step: 1")
        warn_line("look")
    assert capsys.readouterr().err == "INFO:tensorflow:100% of step: 1\nWARNING:tensorflow:look\n"


@pytest.mark.parametrize(("verbosity", "shown"), [(30, "WARNING:tensorflow:look\n"), (40, "")])
def test_a_script_may_want_less(verbosity: int, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    tf.compat.v1.logging.set_verbosity(verbosity)
    with lines_shown():
        log_line("step: 1")
        warn_line("look")
    assert capsys.readouterr().err == shown
    assert tf.get_logger().level == verbosity
