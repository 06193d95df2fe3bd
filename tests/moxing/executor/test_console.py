"""What a person sees on a terminal and elsewhere."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PROGRAM = """
import tensorflow.compat.v1 as tf
from tests.moxing.executor.models import run
run(max_number_of_steps=2000, log_every_n_steps=500)
"""


def on_terminal(*, silent: str) -> str:
    """What the program shows on a terminal of 200 columns."""
    leader, follower = pty.openpty()
    environment = os.environ | {"MOX_SILENT_MODE": silent, "COLUMNS": "200", "TERM": "xterm"}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, stdout=follower, stderr=follower, env=environment, close_fds=True
    )
    os.close(follower)
    seen = b""
    while True:
        try:
            more = os.read(leader, 65536)
        except OSError:
            break
        if not more:
            break
        seen += more
    os.close(leader)
    assert process.wait() == 0, seen.decode(errors="replace")
    return seen.decode(errors="replace")


@pytest.mark.slow
def test_a_terminal_shows_versions_lines_and_a_bar_below_them() -> None:
    shown = on_terminal(silent="0")
    assert "INFO:root:Using MoXing-v" in shown and "INFO:tensorflow:Using TensorFlow-2" in shown
    assert "INFO:tensorflow:step: 500(global step: 500)" in shown
    assert "/2,000" in shown and "rows/s" in shown


@pytest.mark.slow
def test_silent_mode_leaves_out_the_versions() -> None:
    command = [
        sys.executable,
        "-c",
        "import moxing.tensorflow as mox, logging; print(mox.ModeKeys.TRAIN); "
        "print(logging.getLogger('tensorflow').level)",
    ]
    environment = os.environ | {"MOX_SILENT_MODE": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "TRAIN\n20\n", "lines from INFO on are shown until the script wants less"
    assert "Using" not in done.stderr
