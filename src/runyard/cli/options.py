"""Options that all commands about a job have."""

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from runyard.config import JobRequest

JobFile = Annotated[Path | None, typer.Argument(metavar="JOB", help="The job file: JSON with comments, or YAML.")]
JobText = Annotated[str | None, typer.Option("--job", metavar="TEXT", help="The job itself, instead of a file.")]
PackPath = Annotated[
    str | None, typer.Option("--pack-path", metavar="DIR", help="Where the script is; else the job file's folder.")
]
DataPath = Annotated[
    str | None,
    typer.Option("--data-path", "--export-path", metavar="DIR", help="Where data and results are; else the same."),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Override a value, such as train_args.epochs=3. May be repeated."),
]
Lenient = Annotated[
    bool, typer.Option("--lenient", help="Unknown keys, and arguments that a callback does not take, are warnings.")
]

JobName = Annotated[
    str, typer.Option("--job_name", "--job-name", metavar="ROLE", help="Set by a platform: what this process is.")
]
TaskIndex = Annotated[
    str, typer.Option("--task_index", "--task-index", metavar="N", help="Set by a platform: which of them it is.")
]
WorkerHosts = Annotated[
    str,
    typer.Option(
        "--worker_hosts", "--worker-hosts", metavar="LIST", help="Set by a platform: host:port of every worker."
    ),
]
PsHosts = Annotated[
    str,
    typer.Option("--ps_hosts", "--ps-hosts", metavar="LIST", help="Set by a platform: those of parameter servers."),
]


def about_a_job(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command that takes a `JobRequest` the options that make one, before its own."""

    @functools.wraps(command)
    def with_options(**options: Any) -> None:
        request = job_request(**{name: options.pop(name) for name in _COMMON if name in options})
        command(request, **options)

    _, *own = inspect.signature(command).parameters.values()
    parameters = [*_COMMON.values(), *own]
    with_options.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportAttributeAccessIssue]
    with_options.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_options


def job_request(
    job_file: JobFile = None,
    job_text: JobText = None,
    pack_path: PackPath = None,
    data_path: DataPath = None,
    overrides: Set = None,
    lenient: Lenient = False,
) -> "JobRequest":
    """What the options say.

    Raises:
        InvalidJob: if there is no job, or two.
    """
    # Checking job files takes a while to import, which `--help` need not wait for.
    from runyard.config import InvalidJob, JobRequest, Problem

    if (job_file is None) == (job_text is None):
        raise InvalidJob([Problem("give one job: a file, or its text with --job")])
    return JobRequest(
        job_file=job_file,
        job_text=job_text,
        pack_path=pack_path,
        data_path=data_path,
        overrides=tuple(overrides or ()),
        lenient=lenient,
    )


_COMMON = inspect.signature(job_request).parameters
