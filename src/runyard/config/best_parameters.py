"""`best_param_path`: the result of a parameter search, laid over the job."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from runyard.config.document import read_document
from runyard.config.job import JOB_DETAIL
from runyard.config.mistakes import Mistake, show_value
from runyard.config.problems import InvalidJob, JsonPath

BEST_PARAM_PATH = "best_param_path"

_OF_TRAIN_ARGS = frozenset(
    {
        "batch_size",
        "epochs",
        "train_type",
        "num_samples",
        "num_val_samples",
        "optimizer",
        "losses",
        "metrics",
        "early_stopping",
    }
)


@dataclass(frozen=True)
class Tuned:
    """Data with the parameters in it, where each of them went, and why there are none."""

    data: object
    sources: dict[JsonPath, str] = field(default_factory=dict[JsonPath, str])
    mistakes: list[Mistake] = field(default_factory=list[Mistake])


def best_param_path(data: object) -> str | None:
    """What the key of that name says, in either shape of a job file."""
    inner = _member(data, JOB_DETAIL)
    path = _member(cast("object", inner) if isinstance(inner, dict) else data, BEST_PARAM_PATH)
    return path if isinstance(path, str) else None


def apply_best_parameters(data: object, *, file: Path) -> Tuned:
    """The job with the parameters of the file: those of training go into `train_args`, all others into `model_args`."""
    place = (JOB_DETAIL, BEST_PARAM_PATH)
    try:
        parameters = read_document(file).data
    except InvalidJob as error:
        return Tuned(data, mistakes=[Mistake(p.message, place, received=p.place) for p in error.problems])
    if not isinstance(parameters, dict):
        message = "the file must hold one object {...}"
        return Tuned(data, mistakes=[Mistake(message, place, received=show_value(parameters))])
    inner = _member(data, JOB_DETAIL)
    prefix: JsonPath = (JOB_DETAIL,) if isinstance(inner, dict) else ()
    detail = dict(cast("dict[str, object]", inner if prefix else data))
    sources: dict[JsonPath, str] = {}
    for key, value in cast("dict[str, object]", parameters).items():
        section = "train_args" if key in _OF_TRAIN_ARGS else "model_args"
        old = detail.get(section, {})
        if isinstance(old, dict):
            detail[section] = {**cast("dict[str, object]", old), key: value}
            sources[(*prefix, section, key)] = str(file)
    return Tuned({**cast("dict[str, object]", data), JOB_DETAIL: detail} if prefix else detail, sources)


def _member(data: object, key: str) -> object:
    return cast("dict[str, object]", data).get(key) if isinstance(data, dict) else None
