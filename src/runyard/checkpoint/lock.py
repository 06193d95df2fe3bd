"""A lock on the run directory: a second run is refused while the first lives.

On one machine the kernel knows who holds it (`flock`, gone with the process however it dies). Where the directory is
shared between machines, the owner renews a heartbeat; one that is older than a minute belongs to a dead run.
"""

import contextlib
import fcntl
import json
import os
import socket
import threading
import time
from pathlib import Path
from typing import IO, Any

from runyard.checkpoint.durable import storage_errors
from runyard.errors import RunLocked

_HEARTBEAT_SECONDS = 10.0
_DEAD_AFTER_SECONDS = 60.0


class RunLock:
    """Held from `acquire` to `release`, or to the end of the process."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / "run.lock"
        self._file: IO[str] | None = None
        self._stop = threading.Event()

    def acquire(self) -> None:
        """Takes the lock.

        Raises:
            RunLocked: if a living run holds it.
        """
        with storage_errors(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            file = self._path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = _read(file)
            file.close()
            raise self._refusal(owner) from None
        owner = _read(file)
        if owner.get("host") not in (None, socket.gethostname()) and _is_alive(owner):
            file.close()
            raise self._refusal(owner)
        self._file = file
        self._beat()
        threading.Thread(target=self._keep_beating, name="runyard-heartbeat", daemon=True).start()

    def release(self) -> None:
        self._stop.set()
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.truncate(0)
            self._file.close()
            self._file = None

    def __enter__(self) -> "RunLock":
        self.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _keep_beating(self) -> None:
        while not self._stop.wait(_HEARTBEAT_SECONDS):
            with contextlib.suppress(OSError, ValueError):
                self._beat()

    def _beat(self) -> None:
        file = self._file
        if file is None:
            return
        owner = {"host": socket.gethostname(), "pid": os.getpid(), "heartbeat": time.time()}
        file.seek(0)
        file.truncate()
        file.write(json.dumps(owner))
        file.flush()

    def _refusal(self, owner: dict[str, Any]) -> RunLocked:
        who = f"process {owner.get('pid', '?')} on {owner.get('host', 'this machine')}"
        return RunLocked(
            f"another run is alive in {self._path.parent}: {who}",
            hint="wait for it, stop it, or choose another --data-path",
        )


def _read(file: IO[str]) -> dict[str, Any]:
    try:
        file.seek(0)
        owner = json.loads(file.read() or "{}")
    except (OSError, ValueError):
        return {}
    return owner if isinstance(owner, dict) else {}


def _is_alive(owner: dict[str, Any]) -> bool:
    beat = owner.get("heartbeat")
    return isinstance(beat, int | float) and time.time() - beat < _DEAD_AFTER_SECONDS
