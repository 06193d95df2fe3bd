"""How far a training is: a bar on a terminal, a line now and then elsewhere."""

import atexit
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from runyard.telemetry.console import progress_console

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

_NARROWEST_BAR, _WIDEST_BAR = 8, 24


@dataclass(frozen=True)
class Standing:
    """How far an epoch is.

    Args:
        epoch: from 1.
        batches: trained in this epoch.
        of_batches: how many it will have, where that is known.
        seconds: that they took.
        left_seconds: that the rest of the epoch will take, where that is known.
        numbers: losses and metrics, as text.
        task: what is being done, where it is no epoch of a training.
    """

    epoch: int
    epochs: int
    batches: int
    of_batches: int | None
    seconds: float
    rows_per_second: float
    left_seconds: float | None = None
    numbers: str = ""
    task: str = ""

    @property
    def heading(self) -> str:
        return self.task or f"epoch {self.epoch}/{self.epochs}"

    @property
    def counted(self) -> str:
        """`50/125`."""
        return f"{self.batches:,}" if self.of_batches is None else f"{self.batches:,}/{self.of_batches:,}"

    @property
    def speed(self) -> str:
        return f"{self.rows_per_second:,.0f} rows/s" if self.rows_per_second else ""

    @property
    def left(self) -> str:
        return "" if self.left_seconds is None else f"{show_seconds(self.left_seconds)} left"


def show_seconds(seconds: float) -> str:
    """`1.9 s`, `2 min 05 s`, `1 h 02 min`."""
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def finished_line(standing: Standing) -> str:
    """An epoch that is over: `epoch 2/3: 125 batches, 1.9 s, 65,000 rows/s, loss 0.5123`."""
    batches = "1 batch" if standing.batches == 1 else f"{standing.batches:,} batches"
    return _line(standing, batches, show_seconds(standing.seconds), standing.speed, standing.numbers)


def unfinished_line(standing: Standing) -> str:
    """An epoch that takes long: `epoch 2/3: batch 4,000/9,000, 1 min 00 s, 65,000 rows/s, 1 min 15 s left`."""
    shown = [f"batch {standing.counted}", show_seconds(standing.seconds), standing.speed, standing.left]
    return _line(standing, *shown, standing.numbers)


def _line(standing: Standing, *parts: str) -> str:
    return f"{standing.heading}: {', '.join(part for part in parts if part)}"


def bar_is_possible() -> bool:
    """Whether stderr is a terminal that can go back in a line."""
    return sys.stderr.isatty() and not progress_console().is_dumb_terminal


class ProgressBar:
    """One line at the bottom of the terminal. Lines of `say` and `note`, and what scripts print, appear above it."""

    def __init__(self) -> None:
        self._live: Live | None = None

    def show(self, standing: Standing) -> None:
        """Draws the bar."""
        drawn = _drawn(standing)
        if self._live is None:
            self._live = _start(drawn)
            # A run that fails ends without telling; the cursor must come back all the same.
            atexit.register(self.stop)
        self._live.update(drawn, refresh=True)

    def stop(self) -> None:
        """Removes the bar."""
        if self._live is not None:
            self._live.stop()
            self._live = None
            atexit.unregister(self.stop)


def _start(drawn: "Text") -> "Live":
    from rich.live import Live

    live = Live(
        drawn,
        console=progress_console(),
        auto_refresh=False,
        transient=True,
        # What goes into a file or a pipe must stay there.
        redirect_stdout=sys.stdout.isatty(),
    )
    live.start()
    return live


def _drawn(standing: Standing) -> "Text":
    from rich.text import Text

    console = progress_console()
    line = Text(standing.heading, no_wrap=True, overflow="ellipsis")
    if standing.of_batches:
        width = max(_NARROWEST_BAR, min(console.width // 8, _WIDEST_BAR))
        full = min(standing.batches * width // standing.of_batches, width)
        mark = "-" if console.options.ascii_only else "━"
        line.append("  ").append(mark * full, style="green").append(mark * (width - full), style="bright_black")
    for part in (standing.counted, standing.speed, standing.left, standing.numbers):
        line.append(f"  {part}" if part else "")
    line.truncate(console.width - 1, overflow="ellipsis")
    return line
