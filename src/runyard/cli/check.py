"""`runyard check`."""

from typing import TYPE_CHECKING

import typer

from runyard.cli.options import about_a_job
from runyard.telemetry import note, say, show_error, show_table, show_text

if TYPE_CHECKING:
    from runyard.config import JobRequest


@about_a_job
def command(request: "JobRequest") -> None:
    """Tell in seconds whether a job will run: one batch goes through everything."""
    from runyard.runner.check import check_job
    from runyard.runner.plan import plan_job

    plan = plan_job(request)
    say("The job file and the script's functions fit together; now one batch through everything.")
    report = check_job(plan)
    for remark in report.remarks:
        note(remark)
    show_table(
        ("part", "name", "shape", "dtype", "value"),
        ((row.part, row.name, row.shape, row.dtype, row.value) for row in report.rows),
    )
    for problem in report.problems:
        show_error(str(problem))
    if report.problems:
        raise typer.Exit(report.exit_code)
    show_text("The job is ready to run.")
