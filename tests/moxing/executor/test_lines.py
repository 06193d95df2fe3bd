"""Console lines."""

import pytest
import tensorflow as tf

from moxing.tensorflow.executor.lines import lines_shown, log_line, warn_line


def test_lines_begin_with_their_level(capsys: pytest.CaptureFixture[str]) -> None:
    with lines_shown():
        log_line("100% of step: 1")
        warn_line("look")
    log_line("nobody sees this")
    assert capsys.readouterr().err == "INFO:tensorflow:100% of step: 1\nWARNING:tensorflow:look\n"


def test_a_script_may_want_less(capsys: pytest.CaptureFixture[str]) -> None:
    tf.get_logger().setLevel("ERROR")
    with lines_shown():
        log_line("step: 1")
    assert capsys.readouterr().err == ""
    assert tf.get_logger().level == 40
