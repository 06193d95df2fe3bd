"""How far a prediction is, kept on the disk, so that another process can go on from there."""

from dataclasses import dataclass
from pathlib import Path

from runyard.checkpoint.state import Snapshot, restore_snapshot, take_snapshot
from runyard.checkpoint.store import CheckpointStore
from runyard.data.position import DataPosition
from runyard.telemetry import note

_DATA = "data"
_WRITTEN = "written"


@dataclass(frozen=True)
class Written:
    """What of the file counts."""

    rows: int = 0
    bytes: int = 0


class Progress:
    """The newest of these records, in a directory of its own: rows and bytes written, and the position in the data."""

    def __init__(self, directory: Path) -> None:
        self._store = CheckpointStore(directory, keep=1)

    def commit(self, position: Snapshot, *, written: Written) -> None:
        """Replaces the record. All that it speaks of must be on the disk.

        Raises:
            StorageError: if it cannot be written. The older one is still there.
        """
        values = {**position.values, _WRITTEN: {"rows": written.rows, "bytes": written.bytes}}
        self._store.write(Snapshot(position.tensors, values), step=written.rows)

    def go_back(self, data: DataPosition, *, part: Path) -> Written:
        """Brings the data to where the record says; what was written until then, nothing if there is no record."""
        found = self._store.newest(warn=note)
        if found is None:
            return Written()
        written = Written(**found.values[_WRITTEN])
        if not part.is_file() or part.stat().st_size < written.bytes:
            note(f"{part} is not what was written: starting with the first row")
            return Written()
        restore_snapshot(found.load(), {_DATA: data})
        return written


def position_of(data: DataPosition) -> Snapshot:
    """The position of now."""
    return take_snapshot({_DATA: data})
