"""`--set train_args.epochs=3` on the command line."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from runyard.config.job import DETAIL_KEYS, ENVELOPE_KEYS, JOB_DETAIL, SYNONYMS
from runyard.config.problems import JsonPath, Problem, nearest_name

_PART = re.compile(r"[^.\[\]]+")
_WELL_FORMED = re.compile(r"[^.\[\]=]+(\.[^.\[\]]+|\[\d+\])*")


@dataclass(frozen=True)
class Override:
    """A value from the command line, and the place it goes to."""

    text: str
    path: JsonPath
    value: object

    @property
    def source(self) -> str:
        return f"--set {self.text}"


def parse_override(text: str) -> Override | Problem:
    """`a.b[0]=value`: the value is JSON, or a plain string where it is no JSON."""
    path_text, separator, value_text = text.partition("=")
    path_text = path_text.strip()
    if not separator or not _WELL_FORMED.fullmatch(path_text):
        return Problem("needs the form path.to.key=value", source=f"--set {text}", received=repr(text))
    path = tuple(int(part) if part.isdigit() else part for part in _PART.findall(path_text))
    try:
        value = json.loads(value_text)
    except (ValueError, RecursionError):
        value = value_text
    return Override(text, path, value)


def apply_overrides(data: object, overrides: Sequence[Override]) -> tuple[object, list[Problem]]:
    """A copy of the data with the values in their places. Objects on the way are made, list items must exist."""
    problems: list[Problem] = []
    for override in overrides:
        path = _with_job_detail(data, override.path)
        try:
            data = _replaced(data, path, override.value)
        except LookupError as error:
            problems.append(Problem(str(error.args[0]), source=override.source))
    return data, problems


def placed_overrides(data: object, overrides: Sequence[Override]) -> dict[JsonPath, str]:
    """For messages: which paths of the data came from which `--set`."""
    return {_with_job_detail(data, override.path): override.source for override in overrides}


def _with_job_detail(data: object, path: JsonPath) -> JsonPath:
    """`train_args.epochs` means the one in `job_detail` when the file has a `job_detail`."""
    first = path[0]
    wrapped = isinstance(data, dict) and isinstance(cast("dict[str, object]", data).get(JOB_DETAIL), dict)
    if first == JOB_DETAIL and not wrapped:
        return path[1:] or path
    if wrapped and isinstance(first, str) and first not in ENVELOPE_KEYS and first != JOB_DETAIL:
        known = {*DETAIL_KEYS, *SYNONYMS}
        if first in known or nearest_name(first, known):
            return (JOB_DETAIL, *path)
    return path


def _replaced(data: object, path: JsonPath, value: object) -> object:
    if not path:
        return value
    part, rest = path[0], path[1:]
    if isinstance(data, list):
        items = list(cast("list[object]", data))
        if not isinstance(part, int) or part >= len(items):
            raise LookupError(f"no item {part!r} in a list of {len(items)}")
        items[part] = _replaced(items[part], rest, value)
        return items
    if isinstance(data, dict) or data is None:
        members = dict(cast("dict[str, object]", data or {}))
        key = str(part)
        members[key] = _replaced(members.get(key), rest, value)
        return members
    raise LookupError(f"cannot set {part!r} below {data!r}, which is neither an object nor a list")
