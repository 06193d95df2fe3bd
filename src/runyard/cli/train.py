"""`runyard train`."""

from typing import TYPE_CHECKING, Annotated

import typer

from runyard.cli.options import JobName, PsHosts, TaskIndex, WorkerHosts, about_a_job
from runyard.telemetry import show_text

if TYPE_CHECKING:
    from runyard.config import JobRequest
    from runyard.runner.train import TrainResult


@about_a_job
def command(
    request: "JobRequest",
    workers: Annotated[
        int | None,
        typer.Option("--workers", metavar="N", min=1, help="Processes that train together."),
    ] = None,
    servers: Annotated[
        int | None,
        typer.Option("--ps", metavar="N", min=0, help="Parameter servers that hold the variables for the workers."),
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
    job_name: JobName = "",
    task_index: TaskIndex = "",
    worker_hosts: WorkerHosts = "",
    ps_hosts: PsHosts = "",
) -> None:
    """Train a job; the same command goes on where an earlier one stopped."""
    from runyard.cluster import MemberFlags
    from runyard.runner.train import TrainOptions, train

    options = {
        "--workers": ("num_workers", workers),
        "--ps": ("num_pss", servers),
        "--devices": ("train_args.devices", devices),
    }
    for option, (key, value) in options.items():
        if value is not None:
            request = request.with_option(option, value, key=key)
    flags = MemberFlags(job_name=job_name, task_index=task_index, ps_hosts=ps_hosts, worker_hosts=worker_hosts)
    show(train(request, TrainOptions(fresh, max_steps, overfit_batches, fast_dev_run, flags)))


def show(result: "TrainResult") -> None:
    if result.told:
        return
    for name, value in result.results.items():
        show_text(f"{name}: {value:.6g}" if isinstance(value, float) else f"{name}: {value}")
    show_text(f"Done: {result.reason}.")
