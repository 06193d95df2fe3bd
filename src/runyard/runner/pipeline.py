"""`runyard pipeline`: train, evaluate, predict in one process, each part only if the job describes it."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime

from runyard.checkpoint.record import read_record
from runyard.cluster import who_am_i
from runyard.config import JobRequest
from runyard.errors import Interrupted, RunyardError, Terminated
from runyard.runner.evaluation.foresight import refuse_senseless_comparison
from runyard.runner.plan import Plan, plan_job
from runyard.script import Task
from runyard.telemetry import note, say, show_error

Part = Callable[[JobRequest], int]
"""Does a part of a job and shows what came out; its exit code."""


def run_pipeline(
    request: JobRequest, parts: Mapping[Task, Part], *, fresh: bool, online_model: str | None = None
) -> int:
    """Runs the parts that a job describes, in the order that they are given in; the exit code of the first that fails.

    All of the job is checked first, so that a mistake in its last part is not found after hours. Without the model of a
    training that failed nothing else runs. A prediction needs no evaluation, so it runs after a failed one, too.
    Of several processes that a platform has started all train, and the chief, who has the model, does the rest.

    Args:
        fresh: whether an earlier run of the training is of no interest.
        online_model: what `${ONLINE_MODEL}$` stands for; None: what the environment says.

    Raises:
        InvalidJob: with every problem of the job file and the script.
        StorageError: if the results of the evaluation cannot be written.
        Interrupted, Terminated: after a signal.
    """
    plan = plan_job(request)
    request = replace(request, now=_moment(plan, fresh=fresh))
    described = [task for task in parts if task in plan.tasks and (task is Task.TRAIN or _is_chief())]
    if {Task.TRAIN, Task.EVALUATE}.issubset(described) and not plan.job.skip:
        for remark in refuse_senseless_comparison(plan_job(request), online_model=online_model):
            note(remark)
    codes: list[int] = []
    for number, task in enumerate(described, start=1):
        say(f"Part {number} of {len(described)}: {task.value}.")
        codes.append(_exit_code(parts[task], request))
        left = [later.value for later in described[number:]]
        if task is Task.TRAIN and codes[-1] and left:
            say(f"Without a trained model there is nothing to {' or '.join(left)} with.")
            break
    return next((code for code in codes if code), 0)


def _exit_code(part: Part, request: JobRequest) -> int:
    try:
        return part(request)
    except (Interrupted, Terminated):
        raise
    except RunyardError as problem:
        show_error(str(problem))
        return problem.exit_code


def _is_chief() -> bool:
    place = who_am_i(tf_config=os.environ.get("TF_CONFIG"))
    return place is None or place.is_chief


def _moment(plan: Plan, *, fresh: bool) -> datetime:
    """What `${DATE}$` means in all parts: for a training that goes on, the moment when it began."""
    if fresh or Task.TRAIN not in plan.tasks:
        return plan.now
    record = read_record(plan.checkpoint_directory)
    return plan.now if record is None else record.moment
