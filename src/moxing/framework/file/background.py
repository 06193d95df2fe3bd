"""A copy of a directory that is kept up to date in the background."""

import atexit
import threading
from collections.abc import Callable

from moxing.framework.file.mirror import Mirror
from moxing.framework.file.stores import Url, as_text, place_of
from runyard.errors import StorageError
from runyard.telemetry import note


class BackgroundSync:
    """Runs a task every so many seconds, and a last time at the end. A round that fails is told and left out.

    Args:
        task: what to do.
        named: what it is, for the line about a failure.
    """

    def __init__(self, task: Callable[[], object], *, named: str, seconds: float) -> None:
        self._task, self._named, self._seconds = task, named, seconds
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._rounds, name="background copy", daemon=True)
        self._thread.start()
        atexit.register(self.stop)

    def stop(self) -> None:
        """Does it a last time and ends. Harmless twice."""
        if self._stopped.is_set():
            return
        self._stopped.set()
        self._thread.join()
        self._round()
        atexit.unregister(self.stop)

    def _rounds(self) -> None:
        while not self._stopped.wait(self._seconds):
            self._round()

    def _round(self) -> None:
        try:
            self._task()
        except (OSError, StorageError) as error:
            note(f"{self._named}: this round is left out: {error}")


def background_sync_copy(src_url: Url, dst_url: Url, seconds: float = 60) -> BackgroundSync:
    """Copies what is new or has changed in a directory every so many seconds, and when the program ends.

    Errors are told and never reach the program.

    Returns:
        What keeps it running: its `stop()` copies a last time and ends it.
    """
    if seconds <= 0:
        raise ValueError(f"seconds={seconds}: it must be more than 0")
    mirror = Mirror(place_of(src_url), place_of(dst_url))
    return BackgroundSync(mirror.update, named=f"copying {as_text(src_url)} to {as_text(dst_url)}", seconds=seconds)
