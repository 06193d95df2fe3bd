import pytest

from tests.cluster.groups import Groups

pytestmark = pytest.mark.slow

_BEATS = """
from runyard.cluster import Heartbeat, Phase
heart = Heartbeat.of_this_process()
times = count(f"starts{index}")

def train_for(seconds):
    end = time.monotonic() + seconds
    step = 0
    while time.monotonic() < end:
        heart.beat(step)
        step += 1
        time.sleep(0.02)
"""


def test_a_stopped_worker_is_noticed_and_all_tell_where_they_are(
    groups: Groups, capfd: pytest.CaptureFixture[str]
) -> None:
    ending = groups.run(
        _BEATS
        + """
def wait_in_a_collective():
    time.sleep(30)

heart.beat(7, phase=Phase.SAVING)
if times == 1:
    if index == 1:
        os.kill(os.getpid(), signal.SIGSTOP)
    wait_in_a_collective()
""",
        workers=3,
        hang_timeout=1.5,
    )
    assert (ending.exit_code, ending.rounds) == (0, 2)
    shown = capfd.readouterr().err
    assert "worker 1 has been silent for 1.5 s; restart 1 of 3" in shown
    assert "wait_in_a_collective" not in shown
    for name in ("worker-0", "worker-2"):
        log = groups.log(name)
        assert "the stacks of all threads follow" in log
        assert "in wait_in_a_collective" in log
    assert "in wait_in_a_collective" not in groups.log("worker-1")


def test_living_members_that_get_no_further_hang(groups: Groups) -> None:
    ending = groups.run(
        _BEATS + "heart.beat(5 + index)\ntime.sleep(30 if times == 1 else 0)", hang_timeout=1.5, max_restarts=0
    )
    assert (ending.exit_code, ending.rounds) == (138, 1)
    assert ending.why.startswith("no progress for 1.5 s: worker 0 training at step 5, worker 1 training at step 6")


def test_members_that_take_long_do_not_hang(groups: Groups) -> None:
    ending = groups.run(
        _BEATS
        + """
heart.beat(5)
if index == 0:
    heart.beat(5, phase=Phase.SAVING)
    time.sleep(2.5)
    tell("saved")
else:
    wait_for("saved")
""",
        hang_timeout=1.2,
        max_restarts=0,
    )
    assert (ending.exit_code, ending.rounds) == (0, 1)


def test_a_member_that_moves_does_not_hang(groups: Groups) -> None:
    assert groups.run(_BEATS + "train_for(2.5)", hang_timeout=1.2, max_restarts=0).exit_code == 0


def test_programs_without_heartbeats_are_not_judged(groups: Groups) -> None:
    assert groups.run("time.sleep(1)", hang_timeout=0.2, max_restarts=0).exit_code == 0


def test_a_member_that_is_saving_is_not_cut_short_after_a_preemption(
    groups: Groups, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runyard.cluster.round._TO_SAVE", 0.1)
    ending = groups.run(
        _BEATS
        + """
heart.beat(5, phase=Phase.SAVING)
if times == 1:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if index == 1:
        wait_for("starts0")
        sys.exit(143)
    time.sleep(1)
    tell("saved")
    sys.exit(143)
"""
    )
    assert (ending.exit_code, ending.rounds) == (0, 2)
    assert groups.told("saved") == ""
