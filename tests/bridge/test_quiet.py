import os

import pytest

from runyard.bridge.quiet import quiet_stderr


def test_chatter_is_held_back(capfd: pytest.CaptureFixture[str]) -> None:
    with quiet_stderr():
        os.write(2, b"chatter\n")
    os.write(2, b"after\n")
    assert capfd.readouterr().err == "after\n"


def test_chatter_is_let_out_when_something_fails(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ImportError), quiet_stderr():
        os.write(2, b"why it fails\n")
        raise ImportError
    assert capfd.readouterr().err == "why it fails\n"
