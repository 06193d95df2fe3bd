"""Becomes a member of a group: `python child.py PID PROGRAM ARGUMENT...`, a program of its own.

It asks the kernel to be killed when the supervisor (PID) dies, and then becomes the member. That cannot be done between
fork and exec, where no Python may run beside threads. It is started by its path, without the standard search path, so
that it costs a few milliseconds and nothing of the user's can get in its way.
"""

import ctypes
import os
import signal
import sys

_SET_DEATH_SIGNAL = 1
_CANNOT_START = 127


def become(supervisor: int, command: list[str]) -> None:
    """Replaces this process. Returns only if that fails."""
    ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != supervisor:  # it died before the kernel was asked
        return
    # Python ignores these, and a program would inherit that; a shell may have made its background jobs ignore Ctrl-C.
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"error: cannot start {command[0]}: {error.strerror}\n")


if __name__ == "__main__":
    become(int(sys.argv[1]), sys.argv[2:])
    sys.exit(_CANNOT_START)
