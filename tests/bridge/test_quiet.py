import os
import subprocess
import sys

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


def test_nothing_is_collected_while_much_is_imported() -> None:
    program = """
import gc
from runyard.bridge.quiet import import_without_collecting
try:
    with import_without_collecting():
        during = gc.isenabled()
        raise ImportError
except ImportError:
    print(during, gc.isenabled(), gc.get_freeze_count() > 0)
"""
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert child.stdout == "False True True\n"
