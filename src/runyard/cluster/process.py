"""One member, as a process."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence

from runyard.cluster import child
from runyard.cluster.heartbeat import variable_for
from runyard.cluster.members import Place
from runyard.cluster.screen import Screen
from runyard.cluster.streams import Outlets, Pipe, open_outlets


class MemberProcess:
    """A process in a session of its own, and our ends of what connects us with it.

    Raises:
        OSError: if the machine has no room for it.
    """

    def __init__(
        self, place: Place, command: Sequence[str], *, env: Mapping[str, str], screen: Screen, hang_timeout: float
    ) -> None:
        self.member = place.member
        outlets = open_outlets(screen=screen, speaks=place.is_chief)
        beats, theirs = os.pipe()
        self.outputs = outlets.ours
        self.beats = Pipe(beats)
        self.unfinished_beat = b""
        try:
            told = {"TF_CONFIG": place.tf_config(), **variable_for(theirs, hang_timeout=hang_timeout)}
            self._process = _start(command, env={**env, **told}, outlets=outlets, beats=theirs)
        except OSError:
            self._close_pipes()
            raise
        finally:
            os.close(theirs)
            outlets.close_theirs()
        self.handle = os.pidfd_open(self._process.pid)
        """Readable when it has ended."""

    @property
    def session(self) -> int:
        return self._process.pid

    def send(self, number: signal.Signals) -> None:
        """Sends a signal to the member itself, and not to what it has started: it may still need that."""
        self._process.send_signal(number)

    def reap(self) -> int:
        """Its exit code, once it has ended."""
        return self._process.wait()

    def close(self) -> None:
        self._close_pipes()
        os.close(self.handle)

    def _close_pipes(self) -> None:
        for pipe in (*self.outputs, self.beats):
            pipe.close()


def _start(
    command: Sequence[str], *, env: Mapping[str, str], outlets: Outlets, beats: int
) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-I", "-S", child.__file__, str(os.getpid()), *command],
        stdin=subprocess.DEVNULL,
        stdout=outlets.stdout,
        stderr=outlets.stderr,
        env={**os.environ, "PYTHONUNBUFFERED": "1", **env},
        pass_fds=[beats],
        start_new_session=True,
    )
