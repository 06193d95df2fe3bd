"""The last moment of a prediction: the file has its name, but what says how far it was is still there."""

from pathlib import Path
from typing import Any

from runyard.checkpoint.record import RunRecord


def finished_file(whole: Path, *, rows: int) -> dict[str, Any]:
    """By what a file is known again after it got its name."""
    stat = whole.stat()
    return {"rows": rows, "bytes": stat.st_size, "changed": stat.st_mtime_ns}


def finished_rows(record: RunRecord, *, result: Path) -> int | None:
    """How many rows a finished prediction has; None if it was stopped before its file got its name."""
    if record.result is None or not result.is_file():
        return None
    rows = int(record.result["rows"])
    return rows if finished_file(result, rows=rows) == record.result else None
