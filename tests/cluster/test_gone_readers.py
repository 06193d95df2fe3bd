"""A job whose output goes through a pipe, and nobody reads it any more."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster.groups import Groups

_TRAINS = """
import sys, time
from pathlib import Path
from runyard.cluster.signals import StopSignals

with StopSignals() as signals:
    print("started", flush=True)
    for _ in range(int(sys.argv[1])):
        if signals.received is not None:
            break
        time.sleep(0.01)
print("and after it", flush=True)
Path("ended").write_text(str(signals.received))
"""


def ended(folder: Path, *, seconds: float, ignores_hangup: bool = False) -> str:
    """What the program was told when nobody read its lines any more."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN if ignores_hangup else signal.SIG_DFL)
    try:
        command = [sys.executable, "-c", _TRAINS, str(int(100 * seconds))]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout is not None
            assert program.stdout.readline() == "started\n"
    finally:
        signal.signal(signal.SIGHUP, before)
    assert program.returncode == 0
    return (folder / "ended").read_text()


def test_a_run_is_told_and_can_save(tmp_path: Path) -> None:
    assert ended(tmp_path, seconds=60) == str(int(signal.SIGTERM))


def test_under_nohup_it_goes_on_and_what_it_says_goes_nowhere(tmp_path: Path) -> None:
    assert ended(tmp_path, seconds=0.5, ignores_hangup=True) == "None"


@pytest.mark.slow
def test_members_of_a_group_are_told_and_can_save(
    groups: Groups, eventually: Callable[[Callable[[], bool]], bool]
) -> None:
    child = groups.start(
        """
        def save(number, _):
            tell(f"saved{index}", number)
            sys.exit(143)
        signal.signal(signal.SIGTERM, save)
        tell(f"ready{index}")
        while True:
            print("something to show", flush=True)
            time.sleep(0.01)
        """
    )
    assert eventually(lambda: all((groups.folder / f"ready{index}").exists() for index in range(2)))
    assert child.stdout is not None
    child.stdout.close()
    assert child.wait(timeout=60) == 143
    assert groups.told("saved0") == groups.told("saved1") == "15"
