"""A checked job as plain data, for people to read: every default filled in, every short form written out."""

from typing import cast

from runyard.config.base import Part, has_no_meaning
from runyard.config.job import Job
from runyard.config.paths import JobPaths
from runyard.config.written_forms import LossForms, MetricForms


def resolved_job(job: Job, paths: JobPaths) -> dict[str, object]:
    """What `runyard show` prints. Its `job` is itself a job file, and loads as the same job.

    Left out are keys whose default is null when they are null, and keys without a meaning that nobody wrote.
    """
    return {"pack_path": str(paths.pack), "data_path": str(paths.data), "job": _plain(job)}


def _plain(value: object) -> object:
    if isinstance(value, LossForms | MetricForms):
        forms = [getattr(value, name) for name in type(value).model_fields]
        return _plain(next(form for form in forms if form is not None))
    if isinstance(value, Part):
        return {name: _plain(getattr(value, name)) for name in type(value).model_fields if _is_shown(value, name)}
    if isinstance(value, dict):
        return {key: _plain(member) for key, member in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return [_plain(item) for item in cast("list[object]", value)]
    return value


def _is_shown(part: Part, name: str) -> bool:
    field = type(part).model_fields[name]
    if has_no_meaning(field) and name not in part.model_fields_set:
        return False
    return getattr(part, name) is not None or cast("object", field.default) is not None
