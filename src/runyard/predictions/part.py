"""The file that grows while predictions come: it has another name until it is whole."""

import os
from dataclasses import dataclass
from pathlib import Path

from runyard.checkpoint.durable import storage_errors, sync_directory


@dataclass(frozen=True)
class Places:
    """Where predictions go, and what is beside them meanwhile."""

    result: Path

    @property
    def part(self) -> Path:
        """The rows so far."""
        return self.result.with_name(f".{self.result.name}.part")

    @property
    def progress(self) -> Path:
        """The directory that says how far they are."""
        return self.result.with_name(f".{self.result.name}.progress")


class PartFile:
    """Appends to a file.

    Args:
        keep: how many bytes of an earlier run stay; what comes after them is cut off.

    Raises:
        StorageError: if it cannot be written.
    """

    def __init__(self, path: Path, *, keep: int = 0) -> None:
        self.path = path
        self.size = keep
        with storage_errors(path):
            self._file = path.open("r+b" if keep else "wb")
            self._file.truncate(keep)
            self._file.seek(keep)

    def write(self, data: bytes) -> None:
        with storage_errors(self.path):
            self._file.write(data)
        self.size += len(data)

    def sync(self) -> None:
        """Waits until all of it is on the disk."""
        with storage_errors(self.path):
            self._file.flush()
            os.fsync(self._file.fileno())

    def close(self) -> None:
        with storage_errors(self.path):
            self._file.close()


def publish(whole: Path, result: Path) -> None:
    """Gives a finished file its name. An older one of that name is replaced.

    Raises:
        StorageError: if that fails. The older one is still there.
    """
    with storage_errors(result):
        with whole.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(whole, result)  # noqa: PTH105
        sync_directory(result.parent)
