"""No process of a group outlives its supervisor, however that one dies.

Members are killed by the kernel (`child`). What they have started themselves is found by two marks that processes
inherit: a variable in their environment, and the session that the member leads. Only a process that sheds both escapes.

As a program (`python orphans.py PID MARK SESSION...`) this file is the watchdog: it waits until its supervisor (PID) is
gone, then kills. The supervisor tells it on stdin which sessions come and go (`+123`, `-123`); the end of that says
that it died.
"""

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Collection, Iterator
from pathlib import Path

MARK_VARIABLE = "RUNYARD_GROUP"
_PATIENCE = 4.0
_LOOK_AGAIN = 0.02
_LOOK_FOR_PARENT = 1.0


def marked(mark: str) -> str:
    """The value of the variable. A group within a group carries both marks."""
    return ":".join(filter(None, (os.environ.get(MARK_VARIABLE), mark)))


def kill_group(mark: str, *, sessions: Collection[int]) -> None:
    """Kills everything that belongs to a group, and what that starts meanwhile, until nothing is left."""
    deadline = time.monotonic() + _PATIENCE
    while found := list(_belonging(mark, sessions)):
        for pid in found:
            _kill(pid, mark, sessions)
        if time.monotonic() > deadline:
            return
        time.sleep(_LOOK_AGAIN)


def _belonging(mark: str, sessions: Collection[int]) -> Iterator[int]:
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal() and _belongs(pid := int(entry.name), mark, sessions):
            yield pid


def _belongs(pid: int, mark: str, sessions: Collection[int]) -> bool:
    if pid == os.getpid():
        return False
    process = Path("/proc") / str(pid)
    with contextlib.suppress(OSError):
        # The name, in brackets, may hold anything; then state, parent, group, session.
        state, _, _, session = (process / "stat").read_text(errors="replace").rpartition(")")[2].split()[:4]
        if state in "ZX":
            return False
        if int(session) in sessions:
            return True
        variables = (process / "environ").read_bytes().split(b"\0")
        return any(each.startswith(f"{MARK_VARIABLE}=".encode()) and mark.encode() in each for each in variables)
    return False


def _kill(pid: int, mark: str, sessions: Collection[int]) -> None:
    """Kills the process that was found, and no other that may have got its number since."""
    with contextlib.suppress(OSError):
        handle = os.pidfd_open(pid)
        try:
            if _belongs(pid, mark, sessions):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
        finally:
            os.close(handle)


def _watch(supervisor: int, mark: str, sessions: set[int]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    unfinished = b""
    while os.getppid() == supervisor:
        # Somebody else may hold the other end of the pipe, too: hence the look at the parent.
        if not select.select([0], [], [], _LOOK_FOR_PARENT)[0]:
            continue
        if not (received := os.read(0, 4096)):
            break
        *lines, unfinished = (unfinished + received).split(b"\n")
        for line in lines:
            (sessions.add if line.startswith(b"+") else sessions.discard)(int(line[1:]))
    kill_group(mark, sessions=sessions)


if __name__ == "__main__":
    _watch(int(sys.argv[1]), sys.argv[2], set(map(int, sys.argv[3:])))
