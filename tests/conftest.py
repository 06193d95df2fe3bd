import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

_GOLDEN = Path(__file__).with_name("golden")

# Read when TensorFlow starts, here and in child processes: the tests share few cores.
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")
os.environ.setdefault("TF_NUM_INTEROP_THREADS", "1")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's background jobs ignore it, and so would the processes that tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def matches_golden() -> Callable[[str, str], None]:
    """Compares a text with a file in tests/golden. RUNYARD_UPDATE_GOLDEN=1 rewrites the file; then read its diff."""

    def check(name: str, text: str) -> None:
        file = _GOLDEN / name
        if os.environ.get("RUNYARD_UPDATE_GOLDEN") == "1":
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        assert file.exists(), f"{file} is missing; RUNYARD_UPDATE_GOLDEN=1 writes it"
        assert text == file.read_text(encoding="utf-8")

    return check


@pytest.fixture(scope="session")
def tensorflow() -> Any:
    """TensorFlow with Keras 2, started by the first test that needs it."""
    from runyard.bridge import start_tensorflow

    return start_tensorflow(2)


@pytest.fixture(params=[2, 3], ids=["keras2", "keras3"])
def keras(request: pytest.FixtureRequest, tensorflow: Any) -> Any:
    """Each Keras version in turn, as a number."""
    return request.param
