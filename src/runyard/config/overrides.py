"""`--set train_args.epochs=3` on the command line."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from runyard.config.job import DETAIL_KEYS, EITHER_PLACE, ENVELOPE_KEYS, JOB_DETAIL, SYNONYMS
from runyard.config.mistakes import show_value
from runyard.config.problems import InvalidJob, JsonPath, Problem, nearest_name, show_path
from runyard.config.relaxed_json import MAX_DEPTH, parse_relaxed_json
from runyard.config.train_args import DEFAULT_OPTIMIZER

_PART = re.compile(r"[^.\[\]]+")
_WELL_FORMED = re.compile(r"[^.\[\]]+(\.[^.\[\]]+|\[[0-9]+\])*")
_INDEX = re.compile(r"[0-9]{1,9}")
_OPTION = "--set "
_SPECS = frozenset({"optimizer", "losses", "metrics", "weighted_metrics"})
_SPEC_KEYS = frozenset({"type", "args", "weight", "grad_process"})


@dataclass(frozen=True)
class Override:
    """A value from the command line, and the place it goes to: keys, and positions in lists.

    Args:
        source: as it was written on the command line.
    """

    source: str
    path: tuple[str, ...]
    value: object


@dataclass(frozen=True)
class Overridden:
    """Data with values from the command line in it, where each of them went, and what could not be placed."""

    data: object
    sources: dict[JsonPath, str]
    problems: list[Problem]


def parse_override(text: str, *, option: str | None = None) -> Override | Problem:
    """`a.b[0]=value`: the value is JSON, or a plain string where it is no JSON.

    Args:
        option: as it was written, if not with `--set`.
    """
    source = option or f"{_OPTION}{text}"
    path_text, separator, value_text = text.partition("=")
    path_text = path_text.strip()
    path = tuple(_PART.findall(path_text))
    if not separator or not _WELL_FORMED.fullmatch(path_text) or len(path) > MAX_DEPTH:
        return Problem("needs the form path.to.key=value", source=source, received=repr(text))
    try:
        text.encode()
    except UnicodeEncodeError:
        return Problem("is not UTF-8 text", source=source)
    try:
        value, _ = parse_relaxed_json(value_text, source="--set")
    except InvalidJob:
        value = value_text
    return Override(source, path, value)


def json_hint(source: str) -> str | None:
    """Why a value of `--set` may not be what the person meant: it begins like JSON, but is none."""
    path_text, _, value_text = source.removeprefix(_OPTION).partition("=")
    if not source.startswith(_OPTION) or not value_text.startswith(("[", "{", '"')):
        return None
    try:
        parse_relaxed_json(value_text, source=_OPTION)
    except InvalidJob:
        example = f"""--set '{path_text}=["x", "y"]'"""
        return f"the value begins like JSON but is none, so it was taken as text; the shell needs quotes: {example}"
    return None


def apply_overrides(data: object, overrides: Sequence[Override]) -> Overridden:
    """A copy of the data with the values in their places. Objects on the way are made, list items must exist."""
    sources: dict[JsonPath, str] = {}
    problems: list[Problem] = []
    for override in overrides:
        place = _place(data, _with_job_detail(data, override.path))
        try:
            data = _replaced(data, place, override.value, above=())
            sources[place] = override.source
        except LookupError as error:
            message, *hint = error.args
            problems.append(Problem(message, source=override.source, hint=hint[0] if hint else None))
    return Overridden(data, sources, problems)


def _with_job_detail(data: object, path: tuple[str, ...]) -> tuple[str, ...]:
    """`train_args.epochs` means the one in `job_detail` when the file has one; `num_workers`, if it stands there."""
    first = path[0]
    written = cast("dict[str, object]", data) if isinstance(data, dict) else {}
    wrapped = isinstance(written.get(JOB_DETAIL), dict)
    if first == JOB_DETAIL and not wrapped:
        return path[1:] or path
    if wrapped and first in EITHER_PLACE and first not in written:
        return (JOB_DETAIL, *path) if first in cast("dict[str, object]", written[JOB_DETAIL]) else path
    if wrapped and first not in ENVELOPE_KEYS and first != JOB_DETAIL:
        known = {*DETAIL_KEYS, *SYNONYMS}
        if first in known or nearest_name(first, known):
            return (JOB_DETAIL, *path)
    return path


def _place(data: object, path: tuple[str, ...]) -> JsonPath:
    """The path with positions in lists as numbers; in objects, `0` is a key like any other."""
    place: JsonPath = ()
    here = data
    for part in path:
        if isinstance(here, list):
            items = cast("list[object]", here)
            index = int(part) if _INDEX.fullmatch(part) else None
            place = (*place, part if index is None else index)
            here = items[index] if index is not None and index < len(items) else None
        else:
            place = (*place, part)
            here = cast("dict[str, object]", here).get(part) if isinstance(here, dict) else None
    return place


def _replaced(data: object, place: JsonPath, value: object, *, above: JsonPath) -> object:
    if not place:
        return value
    part, rest = place[0], place[1:]
    here = (*above, part)
    if isinstance(data, str) and part in _SPEC_KEYS and not _SPECS.isdisjoint(above):
        data = {"type": data}  # "adam" is short for it
    if data is None and above[-2:] == ("train_args", "optimizer"):
        data = {"type": DEFAULT_OPTIMIZER}
    if isinstance(data, list):
        items = list(cast("list[object]", data))
        if not isinstance(part, int) or part >= len(items):
            hint = f"items go by their position, such as {show_path((*above, 0))}"
            raise LookupError(f"no item {part!r} in a list of {len(items)}", hint)
        items[part] = _replaced(items[part], rest, value, above=here)
        return items
    if isinstance(data, dict) or data is None:
        members = dict(cast("dict[str, object]", data or {}))
        key = str(part)
        members[key] = _replaced(members.get(key), rest, value, above=here)
        return members
    raise LookupError(f"cannot set {part!r} below {show_value(data)}, which is neither an object nor a list")
