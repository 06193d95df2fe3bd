"""`runyard train`."""

from typing import TYPE_CHECKING, Annotated

import typer

from runyard.cli.options import DataPath, JobFile, JobText, Lenient, PackPath, Set, job_request
from runyard.telemetry import show_text

if TYPE_CHECKING:
    from runyard.runner.train import TrainResult


def command(
    job_file: JobFile = None,
    job_text: JobText = None,
    pack_path: PackPath = None,
    data_path: DataPath = None,
    overrides: Set = None,
    lenient: Lenient = False,
    workers: Annotated[
        int | None,
        typer.Option("--workers", metavar="N", min=1, help="Processes that train together."),
    ] = None,
    devices: Annotated[
        str | None,
        typer.Option("--devices", metavar="N", help="Devices of each process that divide its batches; auto: all GPUs."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start over: remove the checkpoints of an earlier run.")
    ] = False,
    max_steps: Annotated[
        int | None, typer.Option("--max-steps", metavar="N", min=1, help="End after this many steps in all.")
    ] = None,
    overfit_batches: Annotated[
        int | None,
        typer.Option(
            "--overfit-batches", metavar="N", min=1, help="Train on the first N batches only; nothing is kept."
        ),
    ] = None,
    fast_dev_run: Annotated[
        bool, typer.Option("--fast-dev-run", help="Two steps, one validation batch, and a save that is thrown away.")
    ] = False,
) -> None:
    """Train a job; the same command goes on where an earlier one stopped."""
    from runyard.runner.train import TrainOptions, train

    request = job_request(
        job_file,
        job_text=job_text,
        pack_path=pack_path,
        data_path=data_path,
        overrides=[
            *(overrides or ()),
            *([f"num_workers={workers}"] if workers is not None else []),
            *([f"train_args.devices={devices}"] if devices is not None else []),
        ],
        lenient=lenient,
    )
    show(train(request, TrainOptions(fresh, max_steps, overfit_batches, fast_dev_run)))


def show(result: "TrainResult") -> None:
    if result.told:
        return
    for name, value in result.results.items():
        show_text(f"{name}: {value:.6g}" if isinstance(value, float) else f"{name}: {value}")
    show_text(f"Done: {result.reason}.")
