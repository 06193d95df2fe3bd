"""The model that the others of an evaluation are compared with."""

from collections.abc import Sequence

from runyard.config import InvalidJob, nearest_name
from runyard.config.mistakes import Mistake
from runyard.errors import RunyardError
from runyard.runner.job_script import JobScript
from runyard.runner.model_sources import ModelSource, load
from runyard.runner.plan import Plan


def number_of_baseline(plan: Plan, sources: Sequence[ModelSource], *, script: JobScript) -> int:
    """Which of the models it is: by its name, by its path, or else the last one.

    Models without a name in the job have to be loaded to learn what they call themselves.

    Raises:
        InvalidJob: if `baseline` names none of them.
    """
    args = plan.job.job_detail.eval_args
    wanted = args.baseline if args else None
    if wanted is None:
        return len(sources) - 1
    names, paths = [source.name for source in sources], [source.path for source in sources]
    if wanted in names:
        return names.index(wanted)
    if plan.paths.in_data(wanted) in paths:
        return paths.index(plan.paths.in_data(wanted))
    known = [source.name or _own_name(source, script=script) for source in sources]
    if wanted in known:
        return known.index(wanted)
    there = [name for name in known if name]
    mistake = Mistake(
        "no model that is evaluated has this name",
        path=("job_detail", "eval_args", "baseline"),
        received=repr(wanted),
        allowed=", ".join(there),
        nearest=nearest_name(wanted, there),
    )
    raise InvalidJob([plan.draft.problem(mistake)])


def _own_name(source: ModelSource, *, script: JobScript) -> str | None:
    try:
        model = load(source, script=script, purpose="evaluate")
    except RunyardError:
        return None  # When its turn comes, the reason is told.
    return model.name if model is not None else None
