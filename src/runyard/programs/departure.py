"""A worker that is done stays until the other workers are done: their sessions may need the server in its process.

Every worker holds a lock on a file of its own while its program runs. The kernel lets go of it when the process dies,
however it dies, so nobody waits for one that is gone.
"""

import fcntl
import time
import zlib
from pathlib import Path
from typing import IO

from runyard.cluster import Cluster, Member, Place, Role

_LOOK_AGAIN = 0.05


class Departure:
    """Made before the program starts.

    Args:
        folder: one that all members of the group see. Each start of the group has other ports, hence other files in it.
    """

    def __init__(self, folder: Path, place: Place) -> None:
        self._folder = folder
        self._others = [each for each in _workers(place.cluster) if each != place.member]
        self._start = zlib.crc32(repr(place.cluster).encode())
        self._lock: IO[str] | None = None
        if place.member.role is not Role.PS:
            self._lock = self._hold(place.member)

    def wait(self) -> None:
        """Says that this worker is done and returns when all are. A parameter server waits for nobody."""
        if self._lock is None:
            return
        fcntl.flock(self._lock, fcntl.LOCK_UN)
        for other in self._others:
            path = self._file_of(other)
            while not path.exists():
                time.sleep(_LOOK_AGAIN)
            with path.open() as lock:
                fcntl.flock(lock, fcntl.LOCK_SH)

    def _hold(self, member: Member) -> IO[str]:
        """Nobody sees the file before it is locked."""
        path = self._file_of(member)
        hidden = path.with_suffix(".new")
        lock = hidden.open("w")
        fcntl.flock(lock, fcntl.LOCK_EX)
        hidden.rename(path)
        return lock

    def _file_of(self, member: Member) -> Path:
        return self._folder / f"{member.file_name}.{self._start:08x}.lock"


def _workers(cluster: Cluster) -> list[Member]:
    return [member for member in cluster.members() if member.role is not Role.PS]
