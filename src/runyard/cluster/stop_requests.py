"""Ctrl-C and SIGTERM to the supervisor: the first asks the members to save and end, the second Ctrl-C kills them."""

import os
import select
import signal
import threading
from types import FrameType


class StopRequests:
    """Takes notes of signals while a group runs, and makes a descriptor readable for each.

    Members lead sessions of their own, so that a Ctrl-C on the terminal reaches the supervisor alone. Outside of the
    main thread no signal arrives, and none is looked for.
    """

    def __init__(self) -> None:
        self.received: signal.Signals | None = None
        self._interrupts = 0
        self._reader, self._writer = os.pipe()
        self._undo: dict[signal.Signals, object] = {}
        self._wakeup_before = -1

    @property
    def urgent(self) -> bool:
        """Whether somebody lost patience."""
        return self._interrupts > 1

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
            self._wakeup_before = signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        return self

    def __exit__(self, *_: object) -> None:
        if self._undo:
            signal.set_wakeup_fd(self._wakeup_before)
        for number, handler in self._undo.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        os.close(self._reader)
        os.close(self._writer)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.received = self.received or signal.Signals(number)
        self._interrupts += number == signal.SIGINT
