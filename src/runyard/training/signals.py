"""Ctrl-C and SIGTERM: the first saves and ends, the second Ctrl-C ends at once."""

import os
import signal
import sys
import threading
from types import FrameType

from runyard.errors import Interrupted, RunyardError, Terminated


class StopSignals:
    """Watches for signals while a run is on. Handlers only take notes; the loop looks at them between calls."""

    def __init__(self) -> None:
        self.received: signal.Signals | None = None
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> "StopSignals":
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        self._before.clear()

    def error(self, *, saved: bool) -> RunyardError:
        """What the run ends with."""
        kept = "everything up to here is saved; the same command goes on" if saved else "nothing was saved"
        if self.received is signal.SIGTERM:
            return Terminated(f"terminated: {kept}")
        return Interrupted(f"interrupted: {kept}")

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.received is signal.SIGINT and number == signal.SIGINT:
            sys.stderr.write("\nended at once, the last checkpoint stays\n")
            os._exit(Interrupted.exit_code)
        self.received = signal.Signals(number)
