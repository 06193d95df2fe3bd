import contextlib
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from runyard.cluster.watchdog import Watchdog
from tests.cluster.groups import Groups

pytestmark = pytest.mark.slow

_WITH_CHILDREN = """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
sleep = ["sleep", "60"]
mark = {"RUNYARD_TEST": os.environ["RUNYARD_TEST"]}
subprocess.Popen(sleep)
subprocess.Popen(sleep, start_new_session=True)
subprocess.Popen(sleep, env=mark)
subprocess.Popen(["sh", "-c", "trap '' TERM HUP INT; sleep 60 & sleep 60"], preexec_fn=os.setpgrp)
tell(f"ready{index}")
time.sleep(60)
"""

Eventually = Callable[[Callable[[], bool]], bool]
Living = Callable[[], list[str]]


def _started(groups: Groups, eventually: Eventually) -> "subprocess.Popen[str]":
    child = groups.start(_WITH_CHILDREN)
    assert eventually(lambda: all((groups.folder / f"ready{index}").exists() for index in range(2)))
    return child


def _watchdogs(supervisor: int) -> list[int]:
    found: list[int] = []
    for pid in Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split():
        with contextlib.suppress(OSError):
            if b"orphans.py" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(int(pid))
    return found


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGABRT])
def test_nothing_outlives_a_supervisor_that_is_killed(
    groups: Groups, eventually: Eventually, living: Living, number: signal.Signals
) -> None:
    child = _started(groups, eventually)
    assert len(living()) >= 2 * 6
    child.send_signal(number)
    child.wait()
    assert eventually(lambda: living() == []), living()


def test_a_killed_watchdog_is_replaced(groups: Groups, eventually: Eventually, living: Living) -> None:
    child = _started(groups, eventually)
    (first,) = _watchdogs(child.pid)
    os.kill(first, signal.SIGKILL)
    assert eventually(lambda: _watchdogs(child.pid) not in ([], [first]))
    child.kill()
    child.wait()
    assert eventually(lambda: living() == []), living()


def test_members_die_even_without_a_watchdog(groups: Groups, eventually: Eventually, living: Living) -> None:
    child = groups.start('tell(f"ready{index}"); time.sleep(60)')
    assert eventually(lambda: all((groups.folder / f"ready{index}").exists() for index in range(2)))
    (watchdog,) = _watchdogs(child.pid)
    child.send_signal(signal.SIGSTOP)
    os.kill(watchdog, signal.SIGKILL)
    child.kill()
    child.wait()
    assert eventually(lambda: living() == []), living()


def test_a_stopped_watchdog_holds_nobody_up(
    eventually: Eventually, living: Living, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runyard.cluster.watchdog._TO_END", 0.1)
    with Watchdog("some mark"):
        assert eventually(lambda: bool(_watchdogs(os.getpid())))
        os.kill(_watchdogs(os.getpid())[0], signal.SIGSTOP)
    assert living() == []


def test_a_group_within_a_group_ends_with_the_outer_one(groups: Groups, eventually: Eventually, living: Living) -> None:
    inner = """
    from tests.cluster.groups import Groups
    (folder / str(index)).mkdir()
    code = 'subprocess.Popen(["sleep", "60"], start_new_session=True); tell("ready"); time.sleep(60)'
    Groups(folder / str(index)).run(code)
    """
    child = groups.start(inner, workers=1, env={"PYTHONPATH": str(Path(__file__).parents[2])})
    assert eventually(lambda: (groups.folder / "0" / "ready").exists())
    child.kill()
    child.wait()
    assert eventually(lambda: living() == []), living()
