"""Free ports, kept until the moment of use."""

import socket

from runyard.errors import PlatformError


class HeldPorts:
    """Ports that nobody else can take while they are held.

    A member binds to all addresses of its machine, so that is what is held. Between `release` and the moment when the
    member binds, another program may still come first: then the group starts again with other ports.
    """

    def __init__(self, count: int) -> None:
        self._sockets: dict[int, socket.socket] = {}
        try:
            for _ in range(count):
                held = socket.socket()
                held.bind(("", 0))
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
