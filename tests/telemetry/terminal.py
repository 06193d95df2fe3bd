"""A program on a pseudo-terminal, and what a person sees there."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_TOKEN = re.compile(r"\x1b\[\??([0-9;]*)([A-Za-z])|([\r\n])|([^\x1b\r\n])")


@dataclass(frozen=True)
class Ended:
    """What a program has written to its terminal, and its exit code."""

    raw: str
    code: int


def run_on_terminal(
    program: str, *, columns: int = 80, stdout: IO[bytes] | None = None, folder: Path | None = None
) -> Ended:
    """Runs a Python program whose stderr, and stdout unless it goes elsewhere, are a terminal."""
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    left_out = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=terminal,
        stdout=stdout or terminal,
        stderr=terminal,
        env={**environment, "TERM": "xterm", "PYTHONIOENCODING": "utf-8"},
        cwd=folder,
    )
    os.close(terminal)
    written = b"".join(iter(lambda: _read(master), b""))
    os.close(master)
    return Ended(written.decode(), child.wait(timeout=60))


def _read(master: int) -> bytes:
    try:
        return os.read(master, 4096)
    except OSError:  # Linux says so when the other end is closed
        return b""


def screen(raw: str, *, columns: int = 80) -> list[str]:
    """The lines that a terminal of that width shows in the end, scrolled-off ones included."""
    lines, row, column = [""], 0, 0
    for parameter, command, control, text in _TOKEN.findall(raw):
        if control == "\r":
            column = 0
        elif control == "\n":
            row += 1
        elif command == "A":
            row = max(0, row - int(parameter or 1))
        elif command == "K":
            lines[row] = "" if parameter == "2" else lines[row][:column]
        elif text:
            if column == columns:
                row, column = row + 1, 0
                lines += [""] * (row + 1 - len(lines))
            lines[row] = lines[row].ljust(column)[:column] + text + lines[row][column + 1 :]
            column += 1
        lines += [""] * (row + 1 - len(lines))
    return [line.rstrip() for line in lines if line.strip()]
