"""`runyard export`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from runyard.cli.options import about_a_job
from runyard.telemetry import note, say, show_text

if TYPE_CHECKING:
    from runyard.config import JobRequest


@about_a_job
def command(
    request: "JobRequest",
    to: Annotated[
        str, typer.Option("--to", metavar="FORMAT", help="saved_model, keras, onnx or tflite.")
    ] = "saved_model",
    versioned: Annotated[
        Path | None, typer.Option("--versioned", metavar="DIR", help="Publish as DIR/1, DIR/2, ...: the next number.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", metavar="PATH", help="Where to; else `exported` in the data path.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option("--model", metavar="PATH", help="This model instead of the trained one.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Which of several trained models, or a new name.")
    ] = None,
    no_check: Annotated[
        bool, typer.Option("--no-check", help="Do not compare the outputs with those of the source.")
    ] = False,
) -> None:
    """Export a trained model, once its outputs are checked against the original."""
    from runyard.runner.export import ExportOptions, export

    places = {"versioned": versioned, "output": output, "model": model}
    absolute = {key: path.absolute() if path else None for key, path in places.items()}
    for done in export(request, ExportOptions(to, name=name, check=not no_check, **absolute)):
        for remark in done.remarks:
            note(remark)
        if done.check is None:
            say(f"{done.name}: not checked.")
        else:
            say(
                f"{done.name}: {done.check.rows} rows of {done.check.origin} give the same outputs; "
                f"the largest difference is {done.check.largest_difference:.2g}."
            )
        show_text(str(done.path))
