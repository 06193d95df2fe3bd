"""Where a process is in each of the parts of the data that it reads."""

from collections.abc import Sequence
from typing import Any

from runyard.data.position import DataPosition


class DataPositions:
    """Several positions that move together: as `DataPosition`, with an iterator for each part.

    A part that ends earlier than others waits at its end for them.

    Args:
        parts: at least one.
    """

    def __init__(self, parts: Sequence[DataPosition]) -> None:
        self.parts: tuple[DataPosition, ...] = tuple(parts)

    @property
    def epoch(self) -> int:
        return self.parts[0].epoch

    @property
    def batches(self) -> int:
        return self.parts[0].batches

    @property
    def runs_python(self) -> bool:
        return any(part.runs_python for part in self.parts)

    @property
    def iterator(self) -> Any:
        """One for a single part, else one for each."""
        found = [part.iterator for part in self.parts]
        return tuple(found) if len(found) > 1 else found[0]

    def advance(self, batches: int) -> None:
        for part in self.parts:
            part.advance(batches)

    def at_end(self) -> bool:
        """Whether no part has a batch left. Looking may read one, so nothing may be read or saved after it."""
        return all(part.at_end() for part in self.parts)

    def end_epoch(self) -> None:
        for part in self.parts:
            part.end_epoch()
