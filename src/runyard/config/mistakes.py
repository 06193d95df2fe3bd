"""Mistakes found while a job file is checked, carried through pydantic with their places.

Pydantic says what its own types did not like; this says it the way people read it: what was received, what is
allowed, what was probably meant.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from runyard.config.problems import JsonPath, nearest_name, shorten

_TYPE = "runyard_mistake"
_LONGEST_VALUE = 120
_YES = frozenset({"true", "yes", "on", "y", "1"})
_NO = frozenset({"false", "no", "off", "n", "0"})
_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")


@dataclass(frozen=True)
class Mistake:
    """A mistake at a place below the value that is being checked."""

    message: str
    path: JsonPath = ()
    received: str | None = None
    allowed: str | None = None
    nearest: str | None = None
    forgivable: bool = False
    """Whether `--lenient` turns it into a warning and drops what stands there."""
    hint: str | None = None
    key: str | None = None
    """A key that is unknown where it stands; it may belong elsewhere."""


def mistakes_error(mistakes: Iterable[Mistake]) -> ValidationError:
    """All the mistakes as one exception that pydantic passes on with their places."""
    return ValidationError.from_exception_data(
        "job",
        [
            InitErrorDetails(
                type=PydanticCustomError(_TYPE, "{message}", {"message": mistake.message, "mistake": mistake}),
                loc=mistake.path,
                input=None,
            )
            for mistake in mistakes
        ],
    )


def mistakes_of(error: ValidationError) -> list[Mistake]:
    """What pydantic collected, in our own words."""
    return [_in_our_words(details) for details in error.errors(include_url=False)]


def show_value(value: object) -> str:
    """A value as JSON people write it, cut when it is long."""
    text = f'"{value}"' if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 3] + "..."


def unknown_key(key: str, *, known: Iterable[str], path: JsonPath) -> Mistake:
    listed = list(known)
    return Mistake(
        f"unknown key '{shorten(key)}'",
        path=path,
        allowed=", ".join(listed),
        nearest=nearest_name(key, listed),
        forgivable=True,
        key=key,
    )


def _in_our_words(details: ErrorDetails) -> Mistake:
    path = details["loc"]
    context: Mapping[str, Any] = details.get("ctx", {})
    carried = context.get("mistake")
    if isinstance(carried, Mistake):
        return replace(carried, path=path)
    if details["type"] == "missing":
        return Mistake(f"required key {path[-1]!r} is missing", path=path)
    received = show_value(details["input"])
    if details["type"] in ("literal_error", "union_tag_invalid"):
        return _not_in_list(path, details=details, received=received)
    if details["type"] == "union_tag_not_found":
        return Mistake("required key 'type' is missing", path=path, received=received)
    message = _NEEDS.get(details["type"]) or _plain(details)
    return Mistake(message, path=path, received=received, hint=_hint(details["type"], details["input"]))


def _not_in_list(path: JsonPath, *, details: ErrorDetails, received: str) -> Mistake:
    context = cast("Mapping[str, str]", details.get("ctx", {}))
    allowed = context.get("expected") or context.get("expected_tags") or ""
    tag = context.get("tag")
    value = tag if tag is not None else details["input"]
    choices = [choice.strip(" '\"") for choice in allowed.replace(" or ", ", ").split(",")]
    return Mistake(
        "not one of the values that are allowed here",
        path=(*path, "type") if tag is not None else path,
        received=show_value(value) if tag is not None else received,
        allowed=", ".join(choices),
        nearest=nearest_name(value, choices) if isinstance(value, str) else None,
    )


def _hint(needed: str, value: object) -> str | None:
    """What people probably meant by a value of another type."""
    if needed == "bool_type" and isinstance(value, str):
        word = value.strip().lower()
        meant = "true" if word in _YES else "false" if word in _NO else None
        return f"write {meant}, without quotation marks" if meant else None
    if needed == "string_type" and isinstance(value, bool | int | float):
        return f"write it in quotation marks: {json.dumps(json.dumps(value))}"
    if needed in ("int_type", "float_type") and isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return f"write it without quotation marks: {value.strip()}"
    return None


def _plain(details: ErrorDetails) -> str:
    message = details["msg"].removeprefix("Value error, ")
    return message.replace("Input should be", "must be")


_NEEDS = {
    "bool_type": "needs true or false",
    "dict_type": "needs an object {...}",
    "model_type": "needs an object {...}",
    "model_attributes_type": "needs an object {...}",
    "finite_number": "needs a finite number",
    "float_type": "needs a number",
    "int_type": "needs a whole number",
    "int_from_float": "needs a whole number",
    "list_type": "needs a list [...]",
    "string_type": "needs a string",
    "string_too_short": "must not be empty",
    "too_short": "needs at least one item",
}
