"""What `verbose` means for a whole command: TensorFlow's own log."""

import re
from pathlib import Path

import pytest

from tests.runner.jobs import run_training, write_job

pytestmark = pytest.mark.slow


def test_a_verbose_job_shows_what_tensorflow_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TF_CPP_MIN_LOG_LEVEL", raising=False)
    done = run_training(write_job(tmp_path, verbose=True), "--fast-dev-run", warm=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^I0000 ", done.stderr, re.MULTILINE), done.stderr
