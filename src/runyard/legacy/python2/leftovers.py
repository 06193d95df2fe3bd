"""What was Python 2 in a file, and how it is told."""

from collections.abc import Iterable
from dataclasses import dataclass

_SHOWN_LINES = 8


@dataclass(frozen=True, order=True)
class Leftover:
    """One place in a file that is Python 2: `what` is as it was written, such as `print x` or `xrange`."""

    line: int
    what: str


def told(leftovers: Iterable[Leftover]) -> str:
    """`print x (lines 3, 8), xrange (line 5)`."""
    lines: dict[str, list[int]] = {}
    for leftover in sorted(set(leftovers)):
        lines.setdefault(leftover.what, []).append(leftover.line)
    return ", ".join(f"{what} ({_lines(found)})" for what, found in lines.items())


def _lines(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:_SHOWN_LINES]))
    more = f" and {len(numbers) - _SHOWN_LINES} more" if len(numbers) > _SHOWN_LINES else ""
    return f"line {shown}" if len(numbers) == 1 else f"lines {shown}{more}"
