"""The last words of members that were asked to end: an error only where the job ends with them."""

import re

from runyard.cluster.screen import Screen, Stream

_FAREWELL = re.compile(rb"error: (?:terminated|interrupted): [^\n]*\n?")
"""What `signals` says, as it is shown."""
_REST_OF_LINE = re.compile(rb"[^\n]*\n?")


class Farewells:
    """Shows all else at once, and these when they are asked for: whether a job goes on is known later."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._kept: list[bytes] = []
        self._within = False

    def show(self, data: bytes, *, stream: Stream) -> None:
        """What the speaking member has written."""
        found = _REST_OF_LINE.match(data) if self._within else _FAREWELL.search(data)
        if found is not None:
            self._within = not found[0].endswith(b"\n")
            self._kept.append(found[0])
            data = data[: found.start()] + data[found.end() :]
        if data:
            self._screen.show(data, stream=stream)

    def show_line(self, line: str, *, of: str) -> None:
        """A line of another member."""
        text = f"[{of}] {line}"
        if _FAREWELL.match(line.encode()):
            self._kept.append(f"{text}\n".encode())
        else:
            self._screen.show_line(text)

    def release(self) -> bool:
        """Shows what was kept; whether there was anything."""
        if not self._kept:
            return False
        self._screen.settle()
        self._screen.show(b"".join(self._kept), stream=Stream.ERR)
        self._kept.clear()
        return True
