"""`best_param_path`: the result of a parameter search, laid over the job."""

from typing import cast

from runyard.config.document import read_document
from runyard.config.job import JOB_DETAIL
from runyard.config.mistakes import Mistake, show_value
from runyard.config.paths import JobPaths
from runyard.config.problems import InvalidJob

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


def apply_best_parameters(arranged: dict[str, object], *, paths: JobPaths) -> tuple[dict[str, object], list[Mistake]]:
    """The job with the parameters of the file: those of training go into `train_args`, all others into `model_args`."""
    detail = arranged.get(JOB_DETAIL)
    if not isinstance(detail, dict):
        return arranged, []
    detail = dict(cast("dict[str, object]", detail))
    file_name = detail.get("best_param_path")
    if not isinstance(file_name, str):
        return arranged, []
    place = (JOB_DETAIL, "best_param_path")
    try:
        parameters = read_document(paths.in_data(file_name)).data
    except InvalidJob as error:
        return arranged, [Mistake(problem.message, path=place, received=file_name) for problem in error.problems]
    if not isinstance(parameters, dict):
        return arranged, [Mistake("the file must hold one object {...}", path=place, received=show_value(parameters))]
    for key, value in cast("dict[str, object]", parameters).items():
        section = "train_args" if key in _OF_TRAIN_ARGS else "model_args"
        old = detail.get(section, {})
        if isinstance(old, dict):
            detail[section] = {**cast("dict[str, object]", old), key: value}
    return {**arranged, JOB_DETAIL: detail}, []
