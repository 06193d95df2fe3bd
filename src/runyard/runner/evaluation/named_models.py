"""The models that `eval_args` names, as far as they are known before one of them is loaded."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runyard.config import InvalidJob, nearest_name
from runyard.config.eval_args import ModelToLoad
from runyard.config.mistakes import Mistake
from runyard.runner.plan import Plan

_ONLINE_MODEL = "${ONLINE_MODEL}$"


@dataclass(frozen=True)
class ModelSource:
    """Where a model is, and what it is called; without a name, the model's own counts."""

    path: Path
    name: str | None = None


def named_models(plan: Plan, *, online_model: str | None = None) -> list[ModelSource]:
    """The models of `eval_args`, in its order.

    Args:
        online_model: what `${ONLINE_MODEL}$` stands for; None: what the environment says.

    Raises:
        InvalidJob: if a path needs to know where the online model is, and nothing says so.
    """
    args = plan.job.job_detail.eval_args
    online = online_model or os.environ.get("ONLINE_MODEL")
    models = enumerate(args.models if args else [])
    return [_source(model, number=number, plan=plan, online=online) for number, model in models]


def named_baseline(wanted: str, sources: Sequence[ModelSource], *, plan: Plan) -> int | None:
    """Which of the models it is, by the name that the job gives it or by its path; None if neither tells."""
    names, paths = [source.name for source in sources], [source.path for source in sources]
    if wanted in names:
        return names.index(wanted)
    path = plan.paths.in_data(wanted)
    return paths.index(path) if path in paths else None


def no_such_baseline(wanted: str, *, known: Sequence[str], plan: Plan) -> InvalidJob:
    mistake = Mistake(
        "no model that is evaluated has this name",
        path=("job_detail", "eval_args", "baseline"),
        received=repr(wanted),
        allowed=", ".join(known),
        nearest=nearest_name(wanted, known),
    )
    return InvalidJob([plan.draft.problem(mistake)])


def _source(model: ModelToLoad, *, number: int, plan: Plan, online: str | None) -> ModelSource:
    if _ONLINE_MODEL in model.path and not online:
        place = ("job_detail", "eval_args", "models", number, "path")
        allowed = "--online-model PATH, or PATH in the environment variable ONLINE_MODEL"
        mistake = Mistake("nothing says where the online model is", path=place, received=model.path, allowed=allowed)
        raise InvalidJob([plan.draft.problem(mistake)])
    return ModelSource(plan.paths.in_data(model.path.replace(_ONLINE_MODEL, online or "")), model.name)
