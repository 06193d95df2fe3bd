"""From the bytes that a program writes to lines that make sense in a file."""

import re

_ESCAPE = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-Z\\-_])")
_LONGEST = 64 * 1024


class LineSplitter:
    """Cuts at line ends. What a progress bar writes over itself is left out, and so are colours."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        """The lines that are complete now."""
        *complete, rest = (self._rest + data).split(b"\n")
        # A "\r" at the very end may belong to a "\r\n" that is not all here.
        overwritten = rest.rfind(b"\r", 0, len(rest) - 1)
        self._rest = rest[overwritten + 1 :]
        if len(self._rest) > _LONGEST:
            complete.append(self._rest)
            self._rest = b""
        return [_readable(line) for line in complete]

    def flush(self) -> list[str]:
        """What was left without a line end, at the end."""
        rest, self._rest = _readable(self._rest), b""
        return [rest] if rest else []


def _readable(line: bytes) -> str:
    last_state = line.rstrip(b"\r").rpartition(b"\r")[2]
    return _ESCAPE.sub("", last_state.decode(errors="replace"))
