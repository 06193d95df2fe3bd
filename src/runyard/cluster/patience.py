"""A person who wonders why nothing happens is told who is waited for."""

import time
from collections.abc import Callable, Iterable

from runyard.cluster.members import Cluster, Member

_TELL_AFTER = 5.0


class Patience:
    """Tells it once, after some seconds.

    Args:
        tell: gets the line.
    """

    def __init__(self, cluster: Cluster, *, tell: Callable[[str], None]) -> None:
        self._cluster = cluster
        self._tell = tell
        self._since = time.monotonic()
        self._told = False

    def look(self, missing: Iterable[Member]) -> None:
        if not self._told and time.monotonic() - self._since > _TELL_AFTER:
            self._told = True
            self._tell("waiting for " + ", ".join(f"{each} at {self._cluster.address(each)}" for each in missing))
