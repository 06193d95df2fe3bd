"""Rows written in the background, while the next are computed."""

import queue
import threading
from dataclasses import dataclass

from runyard.checkpoint.state import Snapshot
from runyard.predictions.encoding import Encoder
from runyard.predictions.forward import Call
from runyard.predictions.part import PartFile
from runyard.predictions.progress import Progress, Written

_ROWS_AT_ONCE = 8_192
_WAITING_CALLS = 1
"""More would only fill memory when writing is slower than computing."""


@dataclass(frozen=True)
class _Work:
    call: Call
    position: Snapshot | None


class BackgroundWriting:
    """Encodes and appends what calls bring, in their order.

    Args:
        written: what an earlier run has left in the file.
        progress: where it is kept how far the file is.

    Attributes:
        rows_with_nan: how many of the rows have a number that is none.
    """

    def __init__(self, part: PartFile, *, encoder: Encoder, written: Written, progress: Progress) -> None:
        self._part = part
        self._encoder = encoder
        self._progress = progress
        self._rows = written.rows
        self.rows_with_nan = 0
        self._failure: Exception | None = None
        self._queue: queue.Queue[_Work | None] = queue.Queue(_WAITING_CALLS)
        if not part.size:
            part.write(encoder.head())
        self._thread = threading.Thread(target=self._work, name="runyard-predictions", daemon=True)
        self._thread.start()

    def put(self, call: Call, *, position: Snapshot | None) -> None:
        """Takes what a call brought; waits while there is too much to write.

        Args:
            position: of the data after it, if it is to be kept that the file has come so far.

        Raises:
            StorageError: if an earlier one could not be written.
        """
        self._raise_failure()
        self._queue.put(_Work(call, position))

    def finish(self) -> None:
        """Waits until all is written.

        Raises:
            StorageError: if it could not be.
        """
        self.stop()
        self._raise_failure()
        self._part.sync()

    def stop(self) -> None:
        """Writes what was put and ends the thread, whether that succeeds or not."""
        if self._thread.is_alive():
            self._queue.put(None)
            self._thread.join()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _work(self) -> None:
        while (work := self._queue.get()) is not None:
            if self._failure is not None:
                continue  # whoever puts must not wait for ever
            try:
                self._write(work)
            except Exception as error:  # whatever it is, the loop must hear of it
                self._failure = error

    def _write(self, work: _Work) -> None:
        chunk = work.call.chunk()
        for start in range(0, chunk.rows, _ROWS_AT_ONCE):
            self._part.write(self._encoder.encode(chunk.cut(start, start + _ROWS_AT_ONCE)))
        self._rows += chunk.rows
        self.rows_with_nan += chunk.rows_with_nan()
        if work.position is not None:
            self._part.sync()
            self._progress.commit(work.position, written=Written(self._rows, self._part.size))
