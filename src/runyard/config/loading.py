"""From a draft to a checked job, or to everything that is wrong with it."""

from dataclasses import dataclass
from typing import cast

from pydantic import ValidationError

from runyard.config.arrangement import place_in_file
from runyard.config.base import notices
from runyard.config.drafting import JobDraft, JobRequest, draft_job
from runyard.config.job import Job
from runyard.config.mistakes import mistakes_of
from runyard.config.problems import InvalidJob, JsonPath, Problem, show_path
from runyard.config.specs import FACTORIES


@dataclass(frozen=True)
class CheckedJob:
    """The result of checking: a job, or the problems that prevent it. Remarks are for the log."""

    job: Job | None
    problems: list[Problem]
    remarks: list[str]


def check_draft(draft: JobDraft, *, factories: frozenset[str] | None) -> CheckedJob:
    """Checks every key and value.

    Args:
        factories: names that the user's script defines, which losses and metrics may use; None if they are not known.
    """
    remarks = list(draft.remarks)
    arranged: object = draft.arranged
    while True:
        try:
            job = Job.model_validate(arranged, context={FACTORIES: factories})
        except ValidationError as error:
            found = mistakes_of(error)
            forgiven = [mistake for mistake in found if mistake.forgivable] if draft.lenient else []
            if not forgiven:
                return CheckedJob(None, [*draft.problems, *map(draft.problem, found)], remarks)
            remarks += [f"left out: {draft.problem(mistake)}" for mistake in forgiven]
            for mistake in forgiven:
                arranged = _without(arranged, place_in_file(arranged, mistake.path))
        else:
            remarks += _remarks(job, draft=draft)
            return CheckedJob(None if draft.problems else job, draft.problems, remarks)


def load_job(request: JobRequest) -> tuple[Job, JobDraft]:
    """A checked job, for those who need no look at the script.

    Raises:
        InvalidJob: with every problem of the file.
    """
    draft = draft_job(request)
    checked = check_draft(draft, factories=None)
    if checked.job is None:
        raise InvalidJob(checked.problems)
    return checked.job, draft


def _remarks(job: Job, *, draft: JobDraft) -> list[str]:
    remarks = [f"{show_path(place_in_file(draft.written, path))}: {text}" for path, text in notices(job)]
    for section in ("train_args", "eval_args", "predict_args"):
        written = draft.section(section)
        for key in ("batch_size", "epochs"):
            value = cast("dict[str, object]", written).get(key) if isinstance(written, dict) else None
            if isinstance(value, int) and value <= 0:
                used = getattr(getattr(job.job_detail, section), key)
                remarks.append(f"{section}.{key}: {value} means the default, {used}")
    return remarks


def _without(data: object, path: JsonPath) -> object:
    """A copy of the data without what stands at the path."""
    part, rest = path[0], path[1:]
    if isinstance(data, list):
        items = cast("list[object]", data)
        return [_without(item, rest) if index == part else item for index, item in enumerate(items)]
    members = dict(cast("dict[str, object]", data))
    if rest:
        members[str(part)] = _without(members[str(part)], rest)
    else:
        del members[str(part)]
    return members
