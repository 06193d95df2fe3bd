"""Free ports, kept until the moment of use."""

import random
import socket
from pathlib import Path

from runyard.errors import PlatformError

_LOWEST = 20_000
_GIVEN_AWAY = Path("/proc/sys/net/ipv4/ip_local_port_range")
"""From which port on the system gives them to whoever connects somewhere."""

_TRIES = 100


class HeldPorts:
    """Ports that nobody else can take while they are held.

    A member binds to all addresses of its machine, so that is what is held. Between `release` and the moment when the
    member binds, another program may still come first: then the group starts again with other ports.
    """

    def __init__(self, count: int) -> None:
        self._sockets: dict[int, socket.socket] = {}
        try:
            for _ in range(count):
                held = _bound()
                self._sockets[held.getsockname()[1]] = held
        except OSError as error:
            self.close()
            raise PlatformError(f"cannot find {count} free ports: {error.strerror}") from error

    @property
    def numbers(self) -> tuple[int, ...]:
        """Those that are still held."""
        return tuple(self._sockets)

    def release(self, number: int) -> None:
        """Lets go of one, for the member that is about to be started."""
        self._sockets.pop(number).close()

    def close(self) -> None:
        """Lets go of all."""
        for number in self.numbers:
            self.release(number)

    def __enter__(self) -> "HeldPorts":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _bound() -> socket.socket:
    """A socket at a free port, if possible at one that the system gives to nobody by itself."""
    held = socket.socket()
    ports = range(_LOWEST, _first_given_away())
    for number in random.SystemRandom().sample(ports, k=min(_TRIES, len(ports))):
        try:
            held.bind(("", number))
        except OSError:
            continue
        return held
    held.bind(("", 0))
    return held


def _first_given_away() -> int:
    try:
        return max(int(_GIVEN_AWAY.read_text().split()[0]), _LOWEST)
    except (OSError, ValueError, IndexError):
        return _LOWEST
