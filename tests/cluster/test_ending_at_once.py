"""Signals while something runs that need not be finished."""

import signal

import pytest

from runyard.cluster.ending_at_once import ending_at_once
from runyard.errors import Interrupted, RunyardError, Terminated


@pytest.mark.parametrize(
    ("number", "error", "words"),
    [(signal.SIGINT, Interrupted, "interrupted: all is kept"), (signal.SIGTERM, Terminated, "terminated: all is kept")],
)
def test_a_signal_ends_what_runs_and_says_what_is_kept(
    number: signal.Signals, error: type[RunyardError], words: str
) -> None:
    before = signal.getsignal(number)
    with pytest.raises(error, match=words), ending_at_once("all is kept"):
        try:
            signal.raise_signal(number)
        except Exception:
            pytest.fail("a script that forgives everything has forgiven the signal")
    assert signal.getsignal(number) == before


def test_without_a_signal_nothing_changes() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(ValueError, match="mine"), ending_at_once("all is kept"):
        raise ValueError("mine")
    assert signal.getsignal(signal.SIGTERM) == before
