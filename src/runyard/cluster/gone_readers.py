"""Those who read what this process says through a pipe, such as `tee`: when they go, it is as if a terminal was closed.

What would be said goes nowhere then, and the process gets SIGHUP, so that it can save before it ends.
"""

import os
import select
import signal
import stat
import threading

from runyard.cluster.closed_terminal import show_nothing

_SHOWN_ON = (1, 2)


class GoneReaders:
    """Watches the pipes that stdout and stderr are, if they are any, in a thread. Whoever asks for it minds SIGHUP."""

    def __init__(self) -> None:
        self._end: int | None = None
        self._thread: threading.Thread | None = None

    def watch(self) -> None:
        pipes = [each for each in _SHOWN_ON if _is_pipe(each)]
        if pipes:
            ended, self._end = os.pipe()
            self._thread = threading.Thread(target=_watch, args=(pipes, ended), name="runyard-readers", daemon=True)
            self._thread.start()

    def leave(self) -> None:
        """Nobody gets a signal after it."""
        if self._end is not None and self._thread is not None:
            os.close(self._end)
            self._thread.join()
            self._end = self._thread = None


def _watch(pipes: list[int], ended: int) -> None:
    poll = select.poll()
    for each in (*pipes, ended):
        poll.register(each, 0)  # that the other end is closed is told unasked
    while True:
        for each, _ in poll.poll():
            if each == ended:
                os.close(ended)
                return
            poll.unregister(each)
            show_nothing(each)
            os.kill(os.getpid(), signal.SIGHUP)


def _is_pipe(descriptor: int) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(descriptor).st_mode)
    except OSError:  # closed
        return False
