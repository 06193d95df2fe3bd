import pytest

from runyard.cluster.heartbeat import ALIVE, Phase
from runyard.cluster.liveness import Liveness
from runyard.cluster.members import Member, Role

A, B, PS = Member(Role.WORKER, 0), Member(Role.WORKER, 1), Member(Role.PS, 0)


def watched() -> Liveness:
    return Liveness([A, B], hang_timeout=10, now=0)


def test_nobody_is_judged_before_the_first_word() -> None:
    assert watched().hung([A, B], now=1000) is None


def test_silence_is_a_hang() -> None:
    alive = watched()
    for member in (A, B):
        alive.hear(member, "0 saving", now=100)
    alive.hear(A, ALIVE, now=110)
    assert alive.hung([A, B], now=110) is None
    hung = alive.hung([A, B], now=111)
    assert hung is not None
    assert (hung.member, str(hung)) == (B, "worker 1 has been silent for 10 s")
    assert alive.hung([A], now=111) is None


def test_once_one_speaks_all_drivers_must_but_the_start_may_take_long() -> None:
    alive = watched()
    alive.hear(A, ALIVE, now=100)
    assert alive.hung([A, B], now=160) is None
    alive.hear(A, ALIVE, now=160)
    hung = alive.hung([A, B, PS], now=161)
    assert hung is not None
    assert (hung.member, str(hung)) == (B, "worker 1 has been silent for 60 s")
    assert alive.speaking == {A}


def test_a_server_that_spoke_once_must_go_on() -> None:
    alive = watched()
    for member in (A, B, PS):
        alive.hear(member, ALIVE, now=0)
    for member in (A, B):
        alive.hear(member, ALIVE, now=61)
    hung = alive.hung([A, B, PS], now=61)
    assert hung is not None
    assert hung.member == PS


@pytest.mark.parametrize("phase", [Phase.TRAINING, Phase.VALIDATING])
def test_living_without_getting_anything_done_is_a_hang(phase: Phase) -> None:
    alive = watched()
    for member in (A, B):
        alive.hear(member, f"7 {phase}", now=0)
        alive.hear(member, ALIVE, now=10)
    assert alive.hung([A, B], now=10) is None
    hung = alive.hung([A, B], now=10.1)
    assert hung is not None
    assert hung.member is None
    assert str(hung) == f"no progress for 10 s: worker 0 {phase} at step 7, worker 1 {phase} at step 7"


@pytest.mark.parametrize("phase", [Phase.STARTING, Phase.SAVING])
def test_others_wait_rightly_for_one_that_takes_long(phase: Phase) -> None:
    alive = watched()
    alive.hear(A, f"7 {phase}", now=0)
    alive.hear(B, "7 training", now=0)
    for now in range(1, 100):
        for member in (A, B):
            alive.hear(member, ALIVE, now=now)
        assert alive.hung([A, B], now=now) is None
    alive.hear(A, "7 training", now=100)
    alive.hear(B, ALIVE, now=109)
    assert alive.hung([A, B], now=109) is None
    for member in (A, B):
        alive.hear(member, ALIVE, now=111)
    assert alive.hung([A, B], now=111) is not None


def test_others_wait_rightly_for_one_that_gets_on() -> None:
    """A worker that has seen its part of a validation waits for one that has more of it."""
    alive = watched()
    alive.hear(A, "7 validating", now=0)
    for now in range(1, 100):
        alive.hear(A, ALIVE, now=now)
        alive.hear(B, "7 validating", now=now)
        assert alive.hung([A, B], now=now) is None
    for member in (A, B):
        alive.hear(member, ALIVE, now=110)
    assert alive.hung([A, B], now=110) is not None


def test_a_server_that_never_beats_hides_no_hang() -> None:
    alive = watched()
    for member in (A, B):
        alive.hear(member, "7 training", now=0)
    for member in (A, B, PS):
        alive.hear(member, ALIVE, now=11)
    assert alive.hung([A, B, PS], now=11) is not None


def test_where_a_round_began_is_the_first_step_of_all() -> None:
    alive = watched()
    alive.hear(A, ALIVE, now=0)
    assert alive.began_at is None
    alive.hear(A, "40 starting", now=1)
    alive.hear(B, "41 training", now=2)
    assert alive.began_at == 40


@pytest.mark.parametrize("message", ["", "x", "x training", "7 dreaming", "�"])
def test_what_is_not_a_beat_is_only_a_sign_of_life(message: str) -> None:
    alive = watched()
    alive.hear(A, "7 training", now=0)
    alive.hear(A, message, now=5)
    assert alive.hung([A], now=9) is None
    assert alive.hung([A], now=10.1) is not None
