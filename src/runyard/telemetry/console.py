"""What a person sees on the terminal. Results go to stdout, everything about the way there to stderr."""

import functools
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


@functools.cache
def _console(*, stderr: bool) -> "Console":
    from rich.console import Console

    return Console(stderr=stderr, highlight=False)


def progress_console() -> "Console":
    """The one that lines go through, too: it keeps them and a progress bar apart."""
    return _console(stderr=True)


def say(text: str) -> None:
    """A line about what is going on."""
    _line(text, style="dim")


def note(text: str) -> None:
    """A line about something that the user may not expect."""
    _line(f"note: {text}", style="yellow")


def show_error(text: str) -> None:
    """Why it went wrong."""
    _line(f"error: {text}")


def _line(text: str, *, style: str = "") -> None:
    from rich.text import Text

    # Lines are not wrapped: other programs read them.
    _console(stderr=True).print(Text(text, style=style), soft_wrap=True)


def show_text(text: str) -> None:
    """A result, exactly as it is, for people and pipes alike."""
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")


def terminal_width() -> int | None:
    """Columns of the terminal that results go to; None if they go elsewhere, where lines may have any length."""
    return _console(stderr=False).width if sys.stdout.isatty() else None


def show_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Columns of text; empty columns are left out."""
    listed = [list(map(str, row)) for row in rows]
    kept = [index for index in range(len(headings)) if any(row[index] for row in listed)]
    if not kept:
        return
    if not sys.stdout.isatty():
        _plain_table([[headings[i] for i in kept], *([row[i] for i in kept] for row in listed)])
        return
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(*[headings[i] for i in kept], box=SIMPLE_HEAD)
    for row in listed:
        table.add_row(*[row[i] for i in kept])
    _console(stderr=False).print(table)


def _plain_table(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        sys.stdout.write("  ".join(cells).rstrip() + "\n")
