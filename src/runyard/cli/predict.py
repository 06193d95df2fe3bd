"""`runyard predict`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from runyard.cli.options import about_a_job
from runyard.telemetry import show_text

if TYPE_CHECKING:
    from runyard.config import JobRequest
    from runyard.runner.predict import PredictResult


@about_a_job
def command(
    request: "JobRequest",
    resume: Annotated[bool, typer.Option("--resume", help="Go on where an earlier prediction was stopped.")] = False,
    shard: Annotated[
        str | None,
        typer.Option("--shard", metavar="I/N", help="Predict one slice, such as 2/8, into a file of its own."),
    ] = None,
    upstream: Annotated[
        Path | None,
        typer.Option(
            "--upstream-output-file", metavar="FILE", help="The result file of a training: it names the model."
        ),
    ] = None,
) -> None:
    """Predict every row of a job's dataset into a file."""
    from runyard.runner.predict import PredictOptions, predict
    from runyard.runner.prediction.shard import parse_shard

    show(predict(request, PredictOptions(resume, parse_shard(shard) if shard is not None else None, upstream)))


def show(result: "PredictResult") -> None:
    from runyard.telemetry.progress import show_seconds

    if result.path is None:
        show_text("Done: the job says skip.")
        return
    speed = f", {result.computed / result.seconds:,.0f} rows/s" if result.seconds else ""
    show_text(f"Done: {result.rows:,} rows, {show_seconds(result.seconds)}{speed}: {result.path}")
