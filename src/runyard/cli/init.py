"""`runyard init`."""

import shlex
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
    make_data, job = (shlex.quote(str(folder / name)) for name in ("make_data.py", "job.json"))
    steps = [f"python {make_data}", *(f"runyard {task} {job}" for task in ("check", "train", "evaluate", "predict"))]
    show_text("\n".join(["", "Now try:", *(f"  {step}" for step in steps)]))
