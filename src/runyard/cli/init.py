"""`runyard init`."""

from pathlib import Path
from typing import Annotated

import typer

from runyard.runner.new_job import write_new_job
from runyard.telemetry import show_text


def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the job goes; made if it does not exist.")],
) -> None:
    """Write a small job folder to start from."""
    written = write_new_job(folder)
    for path in written:
        show_text(f"wrote {path}")
    show_text(f"\nNow try:\n  python {folder / 'make_data.py'}\n  runyard check {folder / 'job.json'}")
