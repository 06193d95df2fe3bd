"""From the shapes in which job files come to the one that is checked, and back to the place in the file.

The keys of `job_detail` may stand at the top level, some have other names, and some of the envelope may stand within
`job_detail`. Paths of mistakes speak of the checked shape; `place_in_file` finds what the person wrote.
"""

from collections.abc import Mapping
from typing import cast

from runyard.config.job import DETAIL_KEYS, EITHER_PLACE, ENVELOPE_KEYS, JOB_DETAIL, SYNONYMS
from runyard.config.mistakes import Mistake, show_value, unknown_key
from runyard.config.problems import JsonPath

_LINK_TO_SCHEMA = "$schema"  # for editors


def arrange(data: Mapping[str, object]) -> tuple[dict[str, object], list[Mistake]]:
    """The data with `job_detail`, the envelope around it and every key under its first name; and what was wrong."""
    written = {key: value for key, value in data.items() if key != _LINK_TO_SCHEMA}
    found: list[Mistake] = []
    if JOB_DETAIL in written and not isinstance(written[JOB_DETAIL], dict):
        return written, []
    if JOB_DETAIL in written:
        envelope = {key: value for key, value in written.items() if key != JOB_DETAIL}
        detail = dict(cast("dict[str, object]", written[JOB_DETAIL]))
        for key in [key for key in envelope if key not in ENVELOPE_KEYS and _first_name(key) in DETAIL_KEYS]:
            found.append(Mistake(f"{key!r} belongs into job_detail", path=(key,)))
            del envelope[key]
    else:
        envelope = {key: value for key, value in written.items() if key in ENVELOPE_KEYS}
        detail = {key: value for key, value in written.items() if key not in ENVELOPE_KEYS}
        known = [*DETAIL_KEYS, *ENVELOPE_KEYS]
        for key in [key for key in detail if _first_name(key) not in DETAIL_KEYS]:
            found.append(unknown_key(key, known=sorted(known), path=(key,)))
            del detail[key]
    found += _move_up(envelope, detail=detail)
    found += _use_first_names(detail)
    return {**envelope, JOB_DETAIL: detail}, found


def place_in_file(data: object, path: JsonPath) -> JsonPath:
    """The path, in the data as written, of what a path in the arranged and checked data speaks of.

    Parts that only checking adds (the list around one optimizer, the kind of a schedule) have no place and
    are left out.
    """
    place: JsonPath = ()
    here = data
    for part in path:
        step = _step(here, part, at_root=not place)
        for key in step:
            here = cast("Mapping[str | int, object]", here)[key]
        place = (*place, *step)
    return place


def _step(here: object, part: str | int, *, at_root: bool) -> JsonPath:
    if isinstance(part, int):
        return (part,) if isinstance(here, list) and part < len(cast("list[object]", here)) else ()
    if not isinstance(here, dict):
        return ()
    written = cast("Mapping[str, object]", here)
    for name in (part, *_synonyms(part)):
        if name in written:
            return (name,)
    if at_root and part in EITHER_PLACE:
        inner = written.get(JOB_DETAIL)
        return (JOB_DETAIL, part) if isinstance(inner, dict) and part in inner else ()
    return ()


def _first_name(key: str) -> str:
    return SYNONYMS.get(key, key)


def _move_up(envelope: dict[str, object], *, detail: dict[str, object]) -> list[Mistake]:
    found: list[Mistake] = []
    for key in EITHER_PLACE:
        if key not in detail:
            continue
        value = detail.pop(key)
        if key in envelope and envelope[key] != value:
            found.append(
                Mistake(
                    f"{key!r} stands at the top level, too, with another value",
                    path=(JOB_DETAIL, key),
                    received=f"{show_value(envelope[key])} and {show_value(value)}",
                )
            )
        envelope[key] = value
    return found


def _use_first_names(detail: dict[str, object]) -> list[Mistake]:
    found: list[Mistake] = []
    for first in dict.fromkeys(SYNONYMS.values()):
        written = [name for name in (first, *_synonyms(first)) if name in detail]
        for name in written[1:]:
            message = f"{name!r} and {written[0]!r} are two names of one key"
            found.append(Mistake(message, path=(JOB_DETAIL, name)))
        values = [detail.pop(name) for name in written]
        if values:
            detail[first] = values[0]
    return found


def _synonyms(first: str) -> list[str]:
    return [synonym for synonym, name in SYNONYMS.items() if name == first]
