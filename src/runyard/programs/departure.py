"""A worker that is done stays until the other workers are done: their sessions may need the server in its process.

A worker leaves a sign when its program is done, and the supervisor leaves one for a worker that ended without it and
does not come back. One that is killed and started again has none in between.
"""

import time
import zlib
from pathlib import Path

from runyard.cluster import Place, Role

_LOOK_AGAIN = 0.05


def leave_sign(folder: Path, place: Place) -> None:
    """Says that a member is done.

    Args:
        folder: one that all members of the group see. Each start of the group has other ports, hence other signs in it.
    """
    _sign(folder, place).touch()


def wait_for_others(folder: Path, place: Place) -> None:
    """Says that this worker is done and returns when all are. A parameter server waits for nobody."""
    if place.member.role is Role.PS:
        return
    leave_sign(folder, place)
    for member in place.cluster.members():
        while member.role is not Role.PS and not _sign(folder, Place(place.cluster, member)).exists():
            time.sleep(_LOOK_AGAIN)


def _sign(folder: Path, place: Place) -> Path:
    start = zlib.crc32(repr(place.cluster).encode())
    return folder / f"{place.member.file_name}.{start:08x}.done"
