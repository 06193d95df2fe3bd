"""`runyard check`."""

import typer

from runyard.cli.options import DataPath, JobFile, JobText, Lenient, PackPath, Set, job_request
from runyard.telemetry import note, say, show_error, show_table, show_text


def command(
    job_file: JobFile = None,
    job_text: JobText = None,
    pack_path: PackPath = None,
    data_path: DataPath = None,
    overrides: Set = None,
    lenient: Lenient = False,
) -> None:
    """Tell in seconds whether a job will run: one batch goes through everything."""
    from runyard.runner.check import check_job
    from runyard.runner.plan import plan_job

    request = job_request(
        job_file,
        job_text=job_text,
        pack_path=pack_path,
        data_path=data_path,
        overrides=overrides,
        lenient=lenient,
    )
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
