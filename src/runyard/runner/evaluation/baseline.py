"""The model that the others of an evaluation are compared with."""

from collections.abc import Sequence

from runyard.errors import RunyardError
from runyard.runner.evaluation.named_models import ModelSource, named_baseline, no_such_baseline
from runyard.runner.job_script import JobScript
from runyard.runner.model_sources import load
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
    named = named_baseline(wanted, sources, plan=plan)
    if named is not None:
        return named
    known = [source.name or _own_name(source, script=script) for source in sources]
    if wanted in known:
        return known.index(wanted)
    raise no_such_baseline(wanted, known=[name for name in known if name], plan=plan)


def _own_name(source: ModelSource, *, script: JobScript) -> str | None:
    try:
        model = load(source, script=script, purpose="evaluate")
    except RunyardError:
        return None  # When its turn comes, the reason is told.
    return model.name if model is not None else None
