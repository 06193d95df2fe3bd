"""The processes that MPI has started on this machine."""

import os
import tempfile
import time
from itertools import count
from pathlib import Path

_LOCAL_SIZES = ("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS")
_LOCAL_RANKS = ("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID")
_SECONDS_BETWEEN_LOOKS = 0.05
_calls = count()


def mpi_local_sync_barrier() -> None:
    """Waits until every process that `mpirun` has started on this machine has come here as often.

    Without MPI there is nobody to wait for.
    """
    size = int(_first_of(_LOCAL_SIZES) or 1)
    if size <= 1:
        return
    arrived = _meeting_place() / str(next(_calls))
    arrived.mkdir(parents=True, exist_ok=True)
    (arrived / (_first_of(_LOCAL_RANKS) or "0")).touch()
    while len(list(arrived.iterdir())) < size:
        time.sleep(_SECONDS_BETWEEN_LOOKS)


def _meeting_place() -> Path:
    """A directory that only these processes share: they have one parent, and one job."""
    job = "".join(c for c in os.environ.get("PMIX_NAMESPACE", "") if c.isalnum())
    return Path(tempfile.gettempdir()) / f"mox_barrier_{os.getuid()}_{os.getppid()}_{job}"


def _first_of(names: tuple[str, ...]) -> str | None:
    return next((os.environ[name] for name in names if name in os.environ), None)
