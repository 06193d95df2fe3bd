"""Ctrl-C and SIGTERM: a run saves, tells so in one line, and the process ends. A second Ctrl-C ends it at once."""

import signal
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from moxing.tensorflow.executor.place import Place
from runyard.cluster.signals import StopSignals
from runyard.errors import Interrupted, Terminated
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


def stop_signals(place: Place) -> AbstractContextManager[StopSignals]:
    """Within it signals are only noted, for the steps to end after the one that they are in.

    Workers of several are stopped by whoever has started them, all at once.
    """
    return StopSignals() if place.is_local else nullcontext(StopSignals())


def stopped_reading(signals: StopSignals, *, mode: str, steps: int) -> Interrupted | Terminated:
    """What a run ends with that has nothing to save."""
    if signals.received is signal.SIGTERM:
        return Terminated(f"terminated: {mode} ends after {steps} steps")
    return Interrupted(f"interrupted: {mode} ends after {steps} steps")
