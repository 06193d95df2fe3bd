import os
import signal
import subprocess
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.cluster.groups import Groups

pytestmark = pytest.mark.slow

_SAVES = """
def save(number, _):
    tell(f"saved{index}", number)
    print(f"saved {index}")
    sys.stderr.write("error: terminated: everything is saved\\n")
    sys.exit(128 + number)
signal.signal(signal.SIGTERM, save)
signal.signal(signal.SIGINT, save)
tell(f"ready{index}", os.getpid())
rest(30)
"""

Eventually = Callable[[Callable[[], bool]], bool]


def _started(groups: Groups, eventually: Eventually, code: str, **settings: Any) -> "subprocess.Popen[str]":
    child = groups.start(code, **settings)
    assert eventually(lambda: all((groups.folder / f"ready{index}").exists() for index in range(2)))
    return child


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_makes_all_members_save_and_end(
    groups: Groups, eventually: Eventually, number: signal.Signals
) -> None:
    child = _started(groups, eventually, _SAVES)
    child.send_signal(number)
    out, err = child.communicate(timeout=60)
    means = signal.SIGTERM if number is signal.SIGHUP else number
    assert child.returncode == 128 + means
    assert groups.told("saved0") == groups.told("saved1") == str(int(means))
    assert out == "saved 0\n"
    assert err.endswith("\nerror: terminated: everything is saved\n")


def test_parameter_servers_stay_until_the_chief_has_saved(groups: Groups, eventually: Eventually) -> None:
    child = _started(
        groups,
        eventually,
        """
        if role == "chief":
            def save(*_):
                time.sleep(0.3)
                server = int((folder / "ready0").read_text())
                tell("server", (Path("/proc") / str(server) / "stat").read_text().rpartition(")")[2].split()[0])
                sys.exit(143)
            signal.signal(signal.SIGTERM, save)
            tell("ready1")
        if role == "ps":
            tell("ready0", os.getpid())
        rest(30)
        """,
        workers=1,
        ps=1,
    )
    child.terminate()
    child.communicate(timeout=60)
    assert child.returncode == 143
    assert groups.told("server") in ("S", "R")


def test_a_job_that_is_stopped_before_it_begins_says_that_nothing_is_lost(
    groups: Groups, eventually: Eventually
) -> None:
    child = _started(groups, eventually, 'tell(f"ready{index}")\nrest(30)')
    child.terminate()
    _, err = child.communicate(timeout=60)
    assert child.returncode == 143
    assert err.endswith("note: stopped before the first step, so there was nothing to save\n")


def test_a_job_that_is_stopped_while_its_model_is_saved_says_that_the_checkpoint_stays(
    groups: Groups, eventually: Eventually
) -> None:
    code = """
    from runyard.cluster import Heartbeat
    Heartbeat.of_this_process().beat(5)
    tell(f"ready{index}")
    rest(30)
    """
    child = _started(groups, eventually, code)
    child.terminate()
    _, err = child.communicate(timeout=60)
    assert child.returncode == 143
    assert err.endswith("note: stopped; the newest checkpoint stays, and the same command goes on\n")


def test_a_job_that_ends_well_after_a_signal_is_done(groups: Groups, eventually: Eventually) -> None:
    child = _started(groups, eventually, _SAVES.replace("sys.exit(128 + number)", "sys.exit(0)"))
    child.terminate()
    child.communicate(timeout=60)
    assert child.returncode == 0


def test_a_member_that_is_killed_while_saving_is_told_of_and_not_restarted(
    groups: Groups, eventually: Eventually
) -> None:
    code = _SAVES.replace("sys.exit(128 + number)", "os.kill(os.getpid(), signal.SIGKILL) if index else rest(30)")
    child = _started(groups, eventually, code)
    child.terminate()
    _, err = child.communicate(timeout=60)
    assert child.returncode == 143
    assert "worker 1 was killed by SIGKILL while the job was stopping; the newest checkpoint stays" in err


def test_an_error_while_saving_is_what_it_ends_with(groups: Groups, eventually: Eventually) -> None:
    code = _SAVES.replace(
        "sys.exit(128 + number)", "sys.stderr.write('error: disk full') and sys.exit(7 + 136 * index)"
    )
    child = _started(groups, eventually, code)
    child.terminate()
    _, err = child.communicate(timeout=60)
    assert child.returncode == 7
    assert "error: worker 0 ended with code 7" in err


_SAVES_FOR_EVER = """
signal.signal(signal.SIGINT, lambda *_: tell(f"told{index}"))
signal.signal(signal.SIGTERM, lambda *_: tell(f"told{index}"))
tell(f"ready{index}")
while True:
    time.sleep(1)
"""


@pytest.mark.parametrize(
    ("first", "second"),
    [(signal.SIGINT, signal.SIGINT), (signal.SIGTERM, signal.SIGINT), (signal.SIGHUP, signal.SIGTERM)],
)
def test_a_second_signal_kills_at_once(
    groups: Groups,
    eventually: Eventually,
    living: Callable[[], list[str]],
    first: signal.Signals,
    second: signal.Signals,
) -> None:
    child = _started(groups, eventually, _SAVES_FOR_EVER)
    child.send_signal(first)
    assert eventually(lambda: all((groups.folder / f"told{index}").exists() for index in range(2)))
    assert child.poll() is None
    if second is signal.SIGTERM:
        time.sleep(0.6)  # sooner it would be the same request
    child.send_signal(second)
    _, err = child.communicate(timeout=60)
    assert child.returncode == (130 if first is signal.SIGINT else 143)
    assert err.count("asked a second time: all members are ended at once") == 1
    assert living() == []


def test_one_request_that_arrives_twice_is_one(groups: Groups, eventually: Eventually) -> None:
    """A shell and the kernel both send SIGHUP when a terminal is closed, a platform and a parent SIGTERM."""
    child = _started(groups, eventually, _SAVES)
    for number in (signal.SIGHUP, signal.SIGHUP, signal.SIGTERM):
        child.send_signal(number)
    _, err = child.communicate(timeout=60)
    assert child.returncode == 143
    assert "a second time" not in err
    assert groups.told("saved0") == groups.told("saved1") == "15"


def test_what_nohup_has_started_goes_on_without_its_terminal(groups: Groups, eventually: Eventually) -> None:
    code = 'tell(f"ready{index}"); wait_for("go on")'
    child = _started(groups, eventually, code, hangups=signal.SIG_IGN)
    child.send_signal(signal.SIGHUP)
    (groups.folder / "go on").touch()
    child.communicate(timeout=60)
    assert child.returncode == 0


def test_a_signal_between_two_starts_ends_it(groups: Groups, eventually: Eventually) -> None:
    child = groups.start('count("starts") if index else None; os.abort() if index else rest(30)', pause=20.0)
    assert eventually(lambda: (groups.folder / "starts").exists() and groups.told("starts") == "2")
    assert child.stderr is not None
    while "restart 2 of 3" not in child.stderr.readline():
        pass
    child.terminate()
    child.communicate(timeout=60)
    assert child.returncode == 143


def test_interrupts_on_a_terminal_do_not_reach_members(groups: Groups, eventually: Eventually) -> None:
    child = _started(groups, eventually, _SAVES)
    sessions = {os.getsid(int(groups.told(f"ready{index}"))) for index in range(2)}
    assert len(sessions) == 2
    assert os.getsid(child.pid) not in sessions
    child.terminate()
    child.communicate(timeout=60)
