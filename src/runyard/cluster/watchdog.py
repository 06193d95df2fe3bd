"""The supervisor's side of the watchdog: a process that kills the group when the supervisor cannot."""

import contextlib
import os
import subprocess
import sys

from runyard.cluster import orphans
from runyard.errors import PlatformError

_TO_END = 5.0


class Watchdog:
    """Watches over the processes that carry a mark, from the start to `close`."""

    def __init__(self, mark: str) -> None:
        self.mark = mark
        self._sessions: set[int] = set()
        try:
            self._process = self._start()
        except OSError as error:
            raise PlatformError(f"cannot start a process: {error.strerror}") from error

    def add(self, session: int) -> None:
        self._sessions.add(session)
        self._tell(f"+{session}\n")

    def sweep(self) -> None:
        """Kills all that belongs to the group, and forgets its sessions."""
        orphans.kill_group(self.mark, sessions=self._sessions)
        for session in self._sessions:
            self._tell(f"-{session}\n")
        self._sessions.clear()

    def look_after(self) -> None:
        """Starts it again if somebody has killed it."""
        if self._process.poll() is not None:
            with contextlib.suppress(OSError):  # it can be tried again
                self._close_pipe()
                self._process = self._start()

    def close(self) -> None:
        """Ends it, and with it all that is left."""
        self._close_pipe()
        try:
            self._process.wait(timeout=_TO_END)
        except subprocess.TimeoutExpired:  # somebody has stopped it
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> "Watchdog":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> "subprocess.Popen[bytes]":
        # Standard library only, and a session of its own: what ends the supervisor must not end its watchdog.
        command = [sys.executable, "-I", "-S", orphans.__file__, str(os.getpid()), self.mark]
        command += map(str, self._sessions)
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
        )

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError, ValueError):  # it was killed; its successor will know
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()

    def _close_pipe(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
