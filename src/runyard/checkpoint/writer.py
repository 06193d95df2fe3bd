"""Checkpoints written in the background, one at a time."""

import threading
from collections.abc import Callable
from pathlib import Path

from runyard.checkpoint.state import Snapshot
from runyard.checkpoint.store import CheckpointStore


class BackgroundWriter:
    """Takes snapshots from the loop and writes them while it goes on."""

    def __init__(self, store: CheckpointStore, *, written: Callable[[Path, int], None]) -> None:
        self._store = store
        self._written = written
        self._thread: threading.Thread | None = None
        self._failure: Exception | None = None

    @property
    def busy(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def submit(self, snapshot: Snapshot, *, step: int) -> None:
        """Starts writing. The last one must be done: ask `busy` first, or call `wait`."""
        self.wait()
        self._thread = threading.Thread(target=self._write, args=(snapshot, step), name="runyard-checkpoint")
        self._thread.start()

    def wait(self) -> None:
        """Waits for the last checkpoint.

        Raises:
            StorageError: if it could not be written.
        """
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self.raise_failure()

    def join_quietly(self) -> None:
        """Waits for the last checkpoint, whether it succeeds or not."""
        if self._thread is not None:
            self._thread.join()

    def raise_failure(self) -> None:
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def _write(self, snapshot: Snapshot, step: int) -> None:
        try:
            self._written(self._store.write(snapshot, step=step), step)
        except Exception as error:  # whatever it is, the loop must hear of it
            self._failure = error
