"""Where in a job file a key belongs, for one that stands somewhere else."""

import functools
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from runyard.config.base import Part, has_no_meaning
from runyard.config.job import CALLBACK_KEYS, JOB_DETAIL, Job
from runyard.config.problems import JsonPath, show_path
from runyard.config.written_forms import LossForms, MetricForms


def where_it_belongs(key: str, *, wrapped: bool) -> str | None:
    """A hint for a key that is unknown where it stands; None if it is known nowhere.

    Args:
        wrapped: whether the file has a `job_detail`, whose keys may also stand at the top level.
    """
    homes = [_shown(home, wrapped=wrapped) for home in _homes().get(key, ())]
    if not homes:
        return None
    *most, last = homes
    return f"{key!r} belongs into {', '.join(most)} or {last}" if most else f"{key!r} belongs into {last}"


def _shown(home: JsonPath, *, wrapped: bool) -> str:
    if home == (JOB_DETAIL,) and wrapped:
        return JOB_DETAIL
    return show_path(home[1:]) or "the top level of the job file"


@functools.cache
def _homes() -> Mapping[str, tuple[JsonPath, ...]]:
    """The objects, by their paths in the arranged job, in which each key means something."""
    homes: dict[str, tuple[JsonPath, ...]] = {}
    for key, home in [*_keys_of(Job, path=()), *_keys_for_runyard()]:
        homes[key] = (*homes.get(key, ()), home)
    return homes


def _keys_for_runyard() -> Iterator[tuple[str, JsonPath]]:
    for section, keys in CALLBACK_KEYS.items():
        yield from ((key, (JOB_DETAIL, section)) for key in sorted(keys))


def _keys_of(part: type[Part], *, path: JsonPath) -> Iterator[tuple[str, JsonPath]]:
    for name, field in part.model_fields.items():
        if not has_no_meaning(field):
            yield name, path
            for inner in _parts_in(field.annotation):
                yield from _keys_of(inner, path=(*path, name))


def _parts_in(annotation: Any) -> Iterator[type[Part]]:
    """The objects that a value may be, or be a list of."""
    if isinstance(annotation, type) and issubclass(annotation, Part):
        if annotation not in (LossForms, MetricForms):  # nobody writes those
            yield annotation
        return
    for inner in get_args(annotation):
        yield from _parts_in(inner)
