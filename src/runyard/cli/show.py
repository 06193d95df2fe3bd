"""`runyard show`."""

import json
from typing import TYPE_CHECKING

from runyard.cli.options import about_a_job
from runyard.telemetry import note, show_text

if TYPE_CHECKING:
    from runyard.config import JobRequest


@about_a_job
def command(request: "JobRequest") -> None:
    """Print the job as Runyard understands it: variables replaced, defaults filled in."""
    from runyard.config.resolved import resolved_job
    from runyard.runner.plan import plan_job

    plan = plan_job(request)
    for remark in plan.remarks:
        note(remark)
    show_text(json.dumps(resolved_job(plan.job, plan.paths), indent=2, ensure_ascii=False))
