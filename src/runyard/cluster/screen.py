"""The terminal, shared by the one member that speaks and by the supervisor."""

import errno
import os
import sys
from enum import Enum

from runyard.cluster.closed_terminal import show_nothing

_ERASE_LINE = b"\r\x1b[2K"
_SHOW_CURSOR = b"\x1b[?25h"


class Stream(Enum):
    """Where a member writes to."""

    OUT = 1
    ERR = 2


class Screen:
    """Writes bytes as they come, and keeps whole lines of others apart from them."""

    def __init__(self) -> None:
        self._within_line = False

    def is_terminal(self, stream: Stream) -> bool:
        return os.isatty(stream.value)

    def show(self, data: bytes, *, stream: Stream) -> None:
        """What the speaking member has written, as it is: its progress bar works as if it had the terminal."""
        file = sys.stdout if stream is Stream.OUT else sys.stderr
        try:
            file.flush()
            file.buffer.write(data)
            file.buffer.flush()
        except OSError as error:
            if error.errno not in (errno.EIO, errno.EPIPE):
                raise
            show_nothing(stream.value)  # the terminal or the pipe was closed
        if stream is Stream.ERR or self.is_terminal(Stream.OUT):
            self._within_line = not data.endswith(b"\n")

    def show_line(self, text: str) -> None:
        """A line of somebody else's, above the progress bar if there is one."""
        self.settle()
        self.show(f"{text}\n".encode(), stream=Stream.ERR)

    def settle(self) -> None:
        """Makes room for a line. A bar that is on the way draws itself again."""
        if self._within_line:
            self.show(_ERASE_LINE if self.is_terminal(Stream.ERR) else b"\n", stream=Stream.ERR)
            self._within_line = False

    def restore(self) -> None:
        """After the end of a member that had no time to tidy up."""
        self.settle()
        if self.is_terminal(Stream.ERR):
            self.show(_SHOW_CURSOR, stream=Stream.ERR)
            self._within_line = False
