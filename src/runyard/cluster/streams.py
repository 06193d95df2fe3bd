"""The ends of what connects a member with its supervisor."""

import contextlib
import os
import pty
import termios
from collections.abc import Iterator
from dataclasses import dataclass, field

from runyard.cluster.screen import Screen, Stream

_READ_AT_ONCE = 64 * 1024


@dataclass
class Pipe:
    """Our end of a pipe or of a pseudo-terminal, for reading without waiting."""

    descriptor: int
    stream: Stream = Stream.ERR
    is_terminal: bool = False

    def __post_init__(self) -> None:
        os.set_blocking(self.descriptor, False)

    def read(self) -> bytes | None:
        """What there is; None: nothing now; empty: it is closed."""
        try:
            return os.read(self.descriptor, _READ_AT_ONCE)
        except BlockingIOError:
            return None
        except OSError:  # so says a pseudo-terminal whose other end is closed
            return b""

    def read_all(self) -> Iterator[bytes]:
        """What is still in it."""
        while data := self.read():
            yield data

    def fit_terminal(self) -> None:
        """Makes a pseudo-terminal as large as ours, which may change at any time."""
        if self.is_terminal:
            with contextlib.suppress(OSError, termios.error):
                size = os.get_terminal_size(self.stream.value)
                termios.tcsetwinsize(self.descriptor, (size.lines, size.columns))

    def close(self) -> None:
        os.close(self.descriptor)


@dataclass
class Outlets:
    """Stdout and stderr of a member, and our ends of them."""

    stdout: int = -1
    stderr: int = -1
    ours: list[Pipe] = field(default_factory=list[Pipe])

    def close_theirs(self) -> None:
        """Once the member has them."""
        for descriptor in {self.stdout, self.stderr}:
            os.close(descriptor)


def open_outlets(*, screen: Screen, speaks: bool) -> Outlets:
    """What goes to one place goes through one pipe, so that the order is kept.

    The member that speaks gets a pseudo-terminal wherever we have a terminal: then it shows a progress bar.
    """
    outlets = Outlets()
    if not speaks or all(map(screen.is_terminal, Stream)):
        outlets.stdout = outlets.stderr = _open(outlets, Stream.ERR, terminal=speaks)
    else:
        outlets.stdout = _open(outlets, Stream.OUT, terminal=screen.is_terminal(Stream.OUT))
        outlets.stderr = _open(outlets, Stream.ERR, terminal=screen.is_terminal(Stream.ERR))
    return outlets


def _open(outlets: Outlets, stream: Stream, *, terminal: bool) -> int:
    if not terminal:
        ours, theirs = os.pipe()
    else:
        ours, theirs = pty.openpty()
        settings = termios.tcgetattr(theirs)
        settings[1] &= ~termios.OPOST  # line ends are changed once, by the real terminal
        termios.tcsetattr(theirs, termios.TCSANOW, settings)
    outlets.ours.append(Pipe(ours, stream, terminal))
    outlets.ours[-1].fit_terminal()
    return theirs
