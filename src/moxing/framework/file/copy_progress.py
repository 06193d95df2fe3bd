"""How far the copying of a directory is."""

import time

from runyard.telemetry import say

_SECONDS_BETWEEN_LINES = 10.0


class CopyProgress:
    """Counts files, and tells now and then.

    Args:
        told: whether to tell at all.
    """

    def __init__(self, *, told: bool) -> None:
        self.files = 0
        self._bytes = 0
        self._told = told
        self._last = time.monotonic()

    def copied(self, size: int) -> None:
        """One more file, of that many bytes."""
        self.files += 1
        self._bytes += size
        if self._told and time.monotonic() - self._last >= _SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            say(f"copied {self.files:,} files, {self._bytes / 1e6:,.1f} MB")
