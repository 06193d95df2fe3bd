"""One count of warnings for all processes of a job: the first process tells it, the others add to it."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from runyard.telemetry import note

_VARIABLE = "RUNYARD_WARNINGS"


class WarningTally:
    """A file that every process appends its count to."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @classmethod
    @contextlib.contextmanager
    def begun(cls) -> "Iterator[WarningTally]":
        """A new one; what is in it at the end is told."""
        tally = cls.new()
        try:
            yield tally
        finally:
            tally.tell()

    @classmethod
    def new(cls) -> "WarningTally":
        descriptor, path = tempfile.mkstemp(prefix="runyard-warnings-")
        os.close(descriptor)
        return cls(Path(path))

    @classmethod
    def of_ancestor(cls) -> "WarningTally | None":
        """The one that the process before this one tells; None in the first."""
        path = os.environ.get(_VARIABLE)
        return cls(Path(path)) if path and Path(path).is_file() else None

    def variables(self) -> dict[str, str]:
        """What the processes that add to it find in their environment."""
        return {_VARIABLE: str(self._path)}

    def add(self, count: int) -> None:
        """Once the first process has told, nobody is interested any more."""
        with contextlib.suppress(OSError):
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND)
            try:
                os.write(descriptor, f"{count}\n".encode())
            finally:
                os.close(descriptor)

    def tell(self) -> None:
        """Says how many there were, and ends it."""
        count = 0
        with contextlib.suppress(OSError, ValueError):
            count = sum(map(int, self._path.read_text().split()))
            self._path.unlink()
        if count:
            warned = "1 deprecation warning" if count == 1 else f"{count} deprecation warnings"
            note(f"TensorFlow gave {warned}; --warnings shows them")
