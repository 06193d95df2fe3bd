"""Waiting until other members listen at their addresses."""

import socket
import time
from collections.abc import Callable

from runyard.cluster.members import Place
from runyard.cluster.patience import Patience

_BETWEEN_CALLS = 0.2
_TO_ANSWER = 5.0


def wait_for_listeners(place: Place, *, tell: Callable[[str], None]) -> None:
    """Returns when all others listen. A supervisor or platform ends a process that waits in vain.

    Args:
        tell: gets a line when that takes long.
    """
    patience = Patience(place.cluster, tell=tell)
    for member in place.others:
        while not _listens(place.cluster.endpoint(member)):
            patience.look([member])
            time.sleep(_BETWEEN_CALLS)


def _listens(endpoint: tuple[str, int]) -> bool:
    try:
        with socket.create_connection(endpoint, timeout=_TO_ANSWER) as connection:
            return not is_own(connection)
    except OSError:
        return False


def is_own(connection: socket.socket) -> bool:
    """A port that nobody listens at may be given to the very connection that looks for it."""
    return connection.getsockname() == connection.getpeername()
