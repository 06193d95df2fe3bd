"""`runyard show`."""

import json

from runyard.cli.options import DataPath, JobFile, JobText, Lenient, PackPath, Set, job_request
from runyard.telemetry import note, show_text


def command(
    job_file: JobFile = None,
    job_text: JobText = None,
    pack_path: PackPath = None,
    data_path: DataPath = None,
    overrides: Set = None,
    lenient: Lenient = False,
) -> None:
    """Print the job as Runyard understands it: variables replaced, defaults filled in."""
    from runyard.config.resolved import resolved_job
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
    for remark in plan.remarks:
        note(remark)
    show_text(json.dumps(resolved_job(plan.job, plan.paths), indent=2, ensure_ascii=False))
