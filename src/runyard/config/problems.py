"""Mistakes as values: collected, sorted and shown together, never raised one by one."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from runyard.errors import ConfigError

JsonPath = tuple[str | int, ...]


def show_path(path: JsonPath) -> str:
    """`("train_args", "metrics", 0)` as a person writes it: `train_args.metrics[0]`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part.isidentifier():
            text += f".{part}" if text else part
        else:
            text += f"[{part!r}]"
    return text


def nearest_name(name: str, known: Iterable[str], *, likeness: float = 0.6) -> str | None:
    """The known name that a person most likely meant, if there is one close enough."""
    by_folded: dict[str, str] = {}
    for candidate in known:
        by_folded.setdefault(candidate.lower(), candidate)
    letters = sorted(name.lower())
    # Swapped letters first: by the share of common letters alone, "adma" is nearer to adamax than to adam.
    swapped = [folded for folded in by_folded if letters and sorted(folded) == letters]
    matches = swapped or difflib.get_close_matches(name.lower(), by_folded, n=1, cutoff=likeness)
    return by_folded[matches[0]] if matches else None


def printable(text: str) -> str:
    """Text that does nothing to a terminal and that every terminal can encode."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def shorten(text: str) -> str:
    """A piece of the user's text that fits into a message."""
    return printable(text if len(text) <= 60 else f"{text[:57]}...")


@dataclass(frozen=True)
class Problem:
    """One mistake: what is wrong, where, what was received, what was probably meant, what is allowed, what to do."""

    message: str
    source: str = ""
    line: int | None = None
    path: JsonPath = ()
    received: str | None = None
    allowed: str | None = None
    nearest: str | None = None
    hint: str | None = None

    @property
    def place(self) -> str:
        where = f"{self.source}:{self.line}" if self.line is not None else self.source
        return ": ".join(part for part in (where, show_path(self.path)) if part)

    def __str__(self) -> str:
        lines = [f"{self.place}: {self.message}" if self.place else self.message]
        if self.received is not None:
            lines.append(f"  received: {self.received}")
        if self.nearest is not None:
            lines.append(f"  did you mean {self.nearest!r}?")
        if self.allowed is not None:
            lines.append(f"  allowed:  {self.allowed}")
        if self.hint is not None:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(map(printable, lines))


class InvalidJob(ConfigError):
    """A job file, a command line or a callback's arguments are wrong: every mistake found, in the order of the file."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda p: (p.source, p.line if p.line is not None else 0)))
        count = len(self.problems)
        heading = "1 problem" if count == 1 else f"{count} problems"
        super().__init__("\n".join([f"{heading} found, nothing was started:", *map(str, self.problems)]))
