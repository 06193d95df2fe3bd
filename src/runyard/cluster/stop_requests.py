"""Signals to the supervisor: the first asks the members to save and end, a second one kills them.

Ctrl-C, SIGTERM, and SIGHUP, which comes when the terminal or pipe is closed and means what SIGTERM means.
"""

import os
import select
import signal
import threading
import time
from types import FrameType

from runyard.cluster.closed_terminal import Terminals
from runyard.cluster.gone_readers import GoneReaders

_SAME_REQUEST = 0.5
"""Seconds in which a repeated SIGTERM is the same request: it may come from a platform and through a parent, too."""


class StopRequests:
    """Takes notes of signals while a group runs, and makes a descriptor readable for each.

    Members lead sessions of their own, so that a Ctrl-C on the terminal reaches the supervisor alone. Outside of the
    main thread no signal arrives, and none is looked for.
    """

    def __init__(self) -> None:
        self.received: signal.Signals | None = None
        self.urgent = False
        """Whether somebody lost patience."""
        self._received_at = 0.0
        self._terminals = Terminals()
        self._readers = GoneReaders()
        self._reader, self._writer = os.pipe()
        self._undo: dict[signal.Signals, object] = {}
        self._wakeup_before = -1

    def fileno(self) -> int:
        """Readable when a signal has come."""
        return self._reader

    def clear(self) -> None:
        """Makes the descriptor wait for the next one."""
        while select.select([self._reader], [], [], 0)[0]:
            os.read(self._reader, 64)

    def wait(self, seconds: float) -> None:
        """Waits that long, or until the next signal."""
        select.select([self._reader], [], [], seconds)

    def __enter__(self) -> "StopRequests":
        if threading.current_thread() is threading.main_thread():
            os.set_blocking(self._writer, False)
            for number in (signal.SIGINT, signal.SIGTERM):
                self._undo[number] = signal.signal(number, self._note)
            if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as nohup has it
                self._undo[signal.SIGHUP] = signal.signal(signal.SIGHUP, self._note)
            self._wakeup_before = signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
            self._readers.watch()
        return self

    def __exit__(self, *_: object) -> None:
        self._readers.leave()
        if self._undo:
            signal.set_wakeup_fd(self._wakeup_before)
        for number, handler in self._undo.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        os.close(self._reader)
        os.close(self._writer)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGHUP:
            self._terminals.leave_closed()
        if self.received is None:
            self.received = signal.SIGINT if number == signal.SIGINT else signal.SIGTERM
            self._received_at = time.monotonic()
        elif number == signal.SIGINT:
            self.urgent = True
        elif number == signal.SIGTERM:
            self.urgent |= time.monotonic() - self._received_at > _SAME_REQUEST
