"""A lock on the run directory: a second run is refused while the first lives.

On one machine the kernel knows who holds it (`flock`, gone with the process however it dies). Where the directory is
shared between machines, or knows no `flock`, the owner renews a heartbeat; one that is older than a minute belongs to a
dead run.
"""

import contextlib
import errno
import fcntl
import json
import os
import socket
import threading
import time
import weakref
from pathlib import Path
from typing import Any

from runyard.checkpoint.durable import is_running, storage_errors
from runyard.errors import RunLocked, StorageError

_HEARTBEAT_SECONDS = 10.0
_DEAD_AFTER_SECONDS = 60.0
_TRIES = 10
_SIZE = 512
"""Of what is written: always the same, so that one write replaces it all."""


class RunLock:
    """Held from `acquire` to `release`, or to the end of the process."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / "run.lock"
        self._descriptor: int | None = None
        self._guard = threading.Lock()
        self._stop = threading.Event()

    def acquire(self) -> None:
        """Takes the lock.

        Raises:
            RunLocked: if a living run holds it.
            StorageError: if the directory cannot be written.
        """
        found = (self._locked() for _ in range(_TRIES))
        self._descriptor = next((each for each in found if each is not None), None)
        if self._descriptor is None:
            raise StorageError(f"cannot write {self._path}: it is removed again and again")
        self._stop.clear()
        _held.add(self)
        threading.Thread(target=self._keep_beating, name="runyard-heartbeat", daemon=True).start()

    def release(self) -> None:
        self._stop.set()
        with self._guard:
            if self._descriptor is not None:
                with contextlib.suppress(OSError):
                    os.truncate(self._descriptor, 0)
        self.close()

    def close(self) -> None:
        """Lets go of the file and says nothing in it: so must a forked child, which may outlive the owner."""
        with self._guard:
            _held.discard(self)
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None

    def __enter__(self) -> "RunLock":
        self.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _locked(self) -> int | None:
        """The file, open and with this process as its owner; None if somebody has removed it meanwhile."""
        with storage_errors(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            self._refuse_second(descriptor)
            with storage_errors(self._path):
                _write_owner(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        if self._is_still_there(descriptor):
            return descriptor
        os.close(descriptor)
        return None

    def _is_still_there(self, descriptor: int) -> bool:
        """A lock on a file that has lost its name keeps nobody out."""
        try:
            return os.path.samestat(os.fstat(descriptor), self._path.stat())
        except OSError:
            return False

    def _refuse_second(self, descriptor: int) -> None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            locked = True
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                raise self._refusal(_read_owner(descriptor)) from None
            locked = False
        owner = _read_owner(descriptor)
        here = owner.get("host") == socket.gethostname()
        # On this machine a lock that was granted proves that the last owner is gone, and so does its process.
        gone = here and (locked or not is_running(_pid_of(owner)))
        if not gone and _is_fresh(owner):
            raise self._refusal(owner)

    def _keep_beating(self) -> None:
        while not self._stop.wait(_HEARTBEAT_SECONDS):
            with self._guard, contextlib.suppress(OSError):
                if self._descriptor is None:
                    return
                _write_owner(self._descriptor)

    def _refusal(self, owner: dict[str, Any]) -> RunLocked:
        who = f"process {owner.get('pid', '?')} on {owner.get('host', 'this machine')}"
        return RunLocked(
            f"another run is alive in {self._path.parent}: {who}",
            hint="wait for it, stop it, or choose another --data-path; "
            f"if that machine died, its lock ends after {_DEAD_AFTER_SECONDS:.0f} seconds",
        )


_held: weakref.WeakSet[RunLock] = weakref.WeakSet()


def _close_in_child() -> None:
    for lock in list(_held):
        # Another thread of the parent may have held it at the moment of the fork.
        lock._guard = threading.Lock()
        lock.close()


os.register_at_fork(after_in_child=_close_in_child)


def _write_owner(descriptor: int) -> None:
    owner = {"host": socket.gethostname(), "pid": os.getpid(), "heartbeat": time.time()}
    os.pwrite(descriptor, json.dumps(owner).ljust(_SIZE).encode(), 0)


def _read_owner(descriptor: int) -> dict[str, Any]:
    try:
        owner = json.loads(os.pread(descriptor, 4 * _SIZE, 0) or b"{}")
    except (OSError, ValueError):
        return {}
    return owner if isinstance(owner, dict) else {}


def _pid_of(owner: dict[str, Any]) -> int:
    pid = owner.get("pid")
    return pid if isinstance(pid, int) and pid > 0 else 0


def _is_fresh(owner: dict[str, Any]) -> bool:
    beat = owner.get("heartbeat")
    # Clocks of two machines may differ, in either direction.
    return isinstance(beat, int | float) and abs(time.time() - beat) < _DEAD_AFTER_SECONDS
