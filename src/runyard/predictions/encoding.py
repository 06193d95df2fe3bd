"""What all formats have in common."""

from pathlib import Path
from typing import Protocol

from runyard.predictions.forward import Chunk


class Encoder(Protocol):
    """Turns rows into bytes that can be appended to a file.

    The bytes of a row do not depend on which rows are encoded with it, so that a file that was written in several runs
    is the same as one of a single run.
    """

    def head(self) -> bytes:
        """What the file begins with."""
        ...

    def encode(self, chunk: Chunk) -> bytes:
        """The rows of a chunk."""
        ...

    def finish(self, part: Path) -> Path:
        """Makes of the file with all rows the one that is wanted; returns where that is."""
        ...
