"""`evaluation.html`: what an evaluation found, for people."""

from collections.abc import Sequence
from pathlib import Path

from runyard.checkpoint.durable import write_text
from runyard.reports.contents import ReportTable, ScoredOutput
from runyard.reports.page import page

__all__ = ["ReportTable", "ScoredOutput", "write_report"]


def write_report(path: Path, *, title: str, table: ReportTable, scored: Sequence[ScoredOutput]) -> None:
    """Writes one self-contained page: the table, then a section for each dataset and output.

    Raises:
        DataError: if labels, scores and weights of an output do not belong together.
        StorageError: if the file cannot be written.
    """
    write_text(path, page(title, table=table, scored=scored))
