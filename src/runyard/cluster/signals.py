"""Ctrl-C, SIGTERM, SIGHUP of a closed terminal or pipe: the first saves and ends, a second Ctrl-C ends at once."""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType

from runyard.cluster.closed_terminal import Terminals
from runyard.cluster.gone_readers import GoneReaders
from runyard.errors import Interrupted, RunyardError, Terminated

_SHOW_CURSOR = "\x1b[?25h"


class StopSignals:
    """Watches for signals while a run is on. Handlers only take notes; the loop looks at them between calls.

    Python runs handlers between two instructions only, and a call into TensorFlow is one. So a thread hears of the
    second Ctrl-C, through a pipe that the operating system's handler writes to.

    Args:
        heard: told of the first signal at once, in that thread, also while the loop is in a call.
    """

    def __init__(
        self, *, how_to_go_on: str = "the same command goes on", heard: Callable[[signal.Signals], None] | None = None
    ) -> None:
        self._how_to_go_on = how_to_go_on
        self._heard = heard
        self.received: signal.Signals | None = None
        self._before: dict[signal.Signals, object] = {}
        self._wakeup: int | None = None
        self._terminals = Terminals()
        self._readers = GoneReaders()

    def __enter__(self) -> "StopSignals":
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._note)
            if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as nohup has it
                self._before[signal.SIGHUP] = signal.signal(signal.SIGHUP, self._note)
            reader, self._wakeup = os.pipe()
            os.set_blocking(self._wakeup, False)
            signal.set_wakeup_fd(self._wakeup, warn_on_full_buffer=False)
            threading.Thread(target=_listen, args=(reader, self._heard), name="runyard-signals", daemon=True).start()
            self._readers.watch()
        return self

    def __exit__(self, *_: object) -> None:
        self._readers.leave()
        for number, handler in self._before.items():
            # One that ends because of it need not be told again: a supervisor asks all of a group when one has ended.
            ends = number is signal.SIGTERM and self.received is number
            signal.signal(number, signal.SIG_IGN if ends else handler)  # type: ignore[arg-type]
        self._before.clear()
        if self._wakeup is not None:
            signal.set_wakeup_fd(-1)
            os.close(self._wakeup)
            self._wakeup = None

    def adopt(self, number: signal.Signals) -> None:
        """Takes in that another worker has got a signal."""
        self.received = self.received or number

    def error(self, *, saved: bool) -> RunyardError:
        """What the run ends with."""
        kept = f"everything up to here is saved; {self._how_to_go_on}" if saved else "nothing was saved"
        if self.received is signal.SIGTERM:
            return Terminated(f"terminated: {kept}")
        return Interrupted(f"interrupted: {kept}")

    def _note(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGHUP:
            self._terminals.leave_closed()
        self.received = _meant(number)


def _meant(number: int) -> signal.Signals:
    return signal.SIGINT if number == signal.SIGINT else signal.SIGTERM


def _listen(reader: int, heard: Callable[[signal.Signals], None] | None) -> None:
    """Reads the numbers of signals until the other end is closed."""
    interrupts = 0
    with contextlib.suppress(OSError):
        while received := os.read(reader, 16):
            asked = [number for number in received if number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
            if asked and heard is not None:
                heard(_meant(asked[0]))
                heard = None
            interrupts += asked.count(signal.SIGINT)
            if interrupts > 1:
                cursor = _SHOW_CURSOR if sys.stderr.isatty() else ""
                os.write(2, f"{cursor}\nended at once, the last checkpoint stays\n".encode())
                os._exit(Interrupted.exit_code)
    os.close(reader)
