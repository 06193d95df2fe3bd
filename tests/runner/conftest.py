"""The modules under test import TensorFlow at their top, so it starts before the first of them is imported."""

from runyard.bridge import start_tensorflow

start_tensorflow(2)

from pathlib import Path  # noqa: E402

import pytest  # noqa: E402

from tests.runner.worker_jobs import run, write  # noqa: E402
from tests.shared_work import done_once  # noqa: E402


@pytest.fixture(scope="session")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A job of two workers that nothing has disturbed, trained to its end."""

    def work(folder: Path) -> None:
        done = run(write(folder))
        assert done.returncode == 0, done.stderr
        assert "epoch 3/3" in done.stderr

    return done_once("calm", work, factory=tmp_path_factory) / "job.json"
