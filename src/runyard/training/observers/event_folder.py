"""The event files of one run: those of training and those of validation."""

import os
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runyard.checkpoint.durable import storage_errors
from runyard.training.observers.event_file import EventFile

_PARTS = ("train", "validation")


class EventFolder:
    """Makes event files when they are needed, and cuts them back to what they were at a checkpoint.

    Epochs and batches count on different scales within a file, so that TensorBoard's own rule, which hides all from
    one step on, cannot tell what a resumed run will write again. Only a TensorBoard that was running at the time of
    a crash may show an epoch twice, until it is reloaded.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._run = uuid.uuid4().hex[:8]
        self._first_step = 0
        self._sizes: Mapping[str, int] | None = None
        self._files: dict[str, EventFile] = {}

    @property
    def train(self) -> EventFile:
        return self._file("train")

    @property
    def validation(self) -> EventFile:
        return self._file("validation")

    @property
    def resumed(self) -> bool:
        return self._sizes is not None

    def open(self, *, step: int) -> None:
        """Starts to write, after so many steps. What this run wrote after its checkpoint is cut off."""
        self._first_step = step + 1 if step else 0
        if self._sizes is not None:
            for name, path in self._written().items():
                _cut(path, size=self._sizes.get(name, 0))
        self._file("train")

    def flush(self) -> None:
        for file in self._files.values():
            file.flush()

    def close(self) -> None:
        for file in self._files.values():
            file.close()
        self._files = {}

    def values(self) -> Mapping[str, Any]:
        """The run's files and their sizes."""
        if not self._files and self._sizes is not None:
            return {"run": self._run, "sizes": dict(self._sizes)}
        self.flush()
        return {"run": self._run, "sizes": {name: path.stat().st_size for name, path in self._written().items()}}

    def load_values(self, values: Mapping[str, Any]) -> None:
        self._run = str(values["run"])
        self._sizes = {str(name): int(size) for name, size in values["sizes"].items()}

    def _file(self, part: str) -> EventFile:
        if part not in self._files:
            self._files[part] = EventFile(self.directory / part, step=self._first_step, suffix=self._suffix)
        return self._files[part]

    @property
    def _suffix(self) -> str:
        return f".runyard-{self._run}"

    def _written(self) -> dict[str, Path]:
        """The files of this run, and of no other that uses the directory."""
        found = [path for part in _PARTS for path in sorted((self.directory / part).glob(f"*tfevents*{self._suffix}"))]
        return {path.relative_to(self.directory).as_posix(): path for path in found}


def _cut(path: Path, *, size: int) -> None:
    with storage_errors(path):
        if size == 0:
            path.unlink()
        elif path.stat().st_size > size:
            os.truncate(path, size)
