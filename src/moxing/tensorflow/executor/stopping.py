"""Ctrl-C and SIGTERM: a run saves, tells so in one line, and the process ends. A second Ctrl-C ends it at once."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from moxing.tensorflow.executor.place import Place
from runyard.cluster.signals import StopSignals
from runyard.errors import Interrupted, RunyardError, Terminated
from runyard.telemetry.console import show_error


class InterruptedRun(SystemExit, KeyboardInterrupt):
    """Ctrl-C: a program may catch it as such; one that does not ends without a traceback."""


@contextmanager
def stops_told() -> Iterator[None]:
    """Around a whole run: what stopped it becomes a line and the exit code of the process."""
    try:
        yield
    except Terminated as stopped:
        show_error(stopped.message)
        raise SystemExit(stopped.exit_code) from None
    except (Interrupted, KeyboardInterrupt) as stopped:
        show_error(str(stopped) or "interrupted")
        raise InterruptedRun(Interrupted.exit_code) from None


def stop_signals(place: Place) -> StopSignals:
    """Within it signals are only noted, for the steps to end after the one that they are in."""
    return StopSignals(heard=place.asked_to_stop)


def stopped_training(signals: StopSignals, *, saved: bool, place: Place) -> RunyardError:
    """What a training ends with; of several workers the first alone can say that all is saved."""
    if place.is_chief:
        return signals.error(saved=saved)
    return stopped_early(signals, ends=f"worker {place.task_index} ends; the first worker saves what there is to save")


def stopped_early(signals: StopSignals, *, ends: str) -> Interrupted | Terminated:
    """What a process ends with that has nothing to save."""
    if signals.received is signal.SIGTERM:
        return Terminated(f"terminated: {ends}")
    return Interrupted(f"interrupted: {ends}")
