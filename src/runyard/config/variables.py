"""`${...}$` variables in the strings of a job file: paths, and dates relative to now."""

import calendar
import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import cast

from runyard.config.foreign_characters import first_foreign_character
from runyard.config.mistakes import Mistake
from runyard.config.problems import JsonPath, nearest_name, shorten

# A `${` inside ends the search: the first one was never closed and is ordinary text.
_VARIABLE = re.compile(r"\$\{((?:(?!\$\{).)*?)\}\$")
# The same with the keyboard of another language in between; only a slip if it names a variable.
_SLIPPED = re.compile(r"[$＄][{｛]([^${}｛｝＄]*)[}｝][$＄]")
_NAME = re.compile(r"\w*")
_DATE = re.compile(r"DATE(?:([+-][0-9]+)([dwhmsyM]))?(?::(.+))?")
_DATE_FORMS = "${DATE}$, ${DATE-1d}$, ${DATE+2h:%Y-%m-%d_%H}$; units: y, M (months), w, d, h, m (minutes), s"
_UNITS = {"w": "weeks", "d": "days", "h": "hours", "m": "minutes", "s": "seconds"}
_DIRECTIVE = re.compile(r"%[-_0^#]?(.?)", re.DOTALL)
# The C library copies what it does not know, differently from system to system, so a slip would become part of a path.
_KNOWN_DIRECTIVES = "aAbBcCdDeFfgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%"

_PACK_PATHS = ("PACK_PATH", "PROJ_PATH")
_DATA_PATHS = ("DATA_PATH", "RUN_PATH", "EXPORT_PATH")
_RESOLVED_LATER = ("ONLINE_MODEL",)


@dataclass(frozen=True)
class Variables:
    """What the variables stand for in one run.

    Args:
        pack_path: where the job's scripts are; `${PACK_PATH}$` or `${PROJ_PATH}$`.
        data_path: where the run reads and writes; `${DATA_PATH}$`, `${RUN_PATH}$` or `${EXPORT_PATH}$`.
        now: the moment that `${DATE}$` is relative to.
    """

    pack_path: str
    data_path: str
    now: datetime


def known_variables() -> list[str]:
    """The names that may stand in `${...}$`, sorted."""
    return sorted([*_PACK_PATHS, *_DATA_PATHS, *_RESOLVED_LATER, "DATE"])


def expand(data: object, *, variables: Variables) -> tuple[object, list[Mistake]]:
    """Replaces the variables in every string value; keys stay as they are.

    What is inserted is not searched for variables again. `${ONLINE_MODEL}$` is left for the evaluation to resolve.

    Returns:
        New data, with the variables that could not be replaced left in it, and one mistake for each of these.
    """
    expansion = _Expansion(variables=variables, mistakes=[])
    return expansion.expand(data, path=()), expansion.mistakes


@dataclass(frozen=True)
class _Expansion:
    variables: Variables
    mistakes: list[Mistake]

    def expand(self, data: object, *, path: JsonPath) -> object:
        if isinstance(data, str):
            self._refuse_slips(data, path=path)
            return _VARIABLE.sub(lambda match: self._replacement(match, path=path), data)
        if isinstance(data, dict):
            members = cast(dict[str, object], data)
            return {key: self.expand(value, path=(*path, key)) for key, value in members.items()}
        if isinstance(data, list):
            items = cast(list[object], data)
            return [self.expand(item, path=(*path, index)) for index, item in enumerate(items)]
        return data

    def _replacement(self, match: re.Match[str], *, path: JsonPath) -> str:
        content = match[1]
        if content in _PACK_PATHS:
            return self.variables.pack_path
        if content in _DATA_PATHS:
            return self.variables.data_path
        if content in _RESOLVED_LATER:
            return match[0]
        name = _name_in(content)
        if name == "DATE":
            try:
                return _date(content, now=self.variables.now)
            except ValueError as error:
                message = first_foreign_character(content) or str(error)
                self.mistakes.append(Mistake(message, path=path, received=shorten(match[0]), allowed=_DATE_FORMS))
                return match[0]
        known = known_variables()
        message = f"'{name}' takes nothing after its name" if name in known else "unknown variable"
        message = first_foreign_character(content) or message
        nearest = nearest_name(_plain(name), known)
        received = shorten(match[0])
        self.mistakes.append(Mistake(message, path, received=received, allowed=", ".join(known), nearest=nearest))
        return match[0]

    def _refuse_slips(self, text: str, *, path: JsonPath) -> None:
        for match in _SLIPPED.finditer(text):
            slip = first_foreign_character(match[0][:2] + match[0][-2:])
            if slip is not None and _name_in(_plain(match[1])) in known_variables():
                self.mistakes.append(Mistake(slip, path=path, received=shorten(match[0])))


def _plain(text: str) -> str:
    """Full-width letters as ordinary ones."""
    return unicodedata.normalize("NFKC", text)


def _name_in(content: str) -> str:
    match = _NAME.match(content)
    return match[0] if match else ""


def _date(content: str, *, now: datetime) -> str:
    match = _DATE.fullmatch(content)
    if match is None:
        raise ValueError("malformed date")
    shift, unit, form = match.groups(default="")
    for directive in _DIRECTIVE.finditer(form):
        if not directive[1] or directive[1] not in _KNOWN_DIRECTIVES:
            raise ValueError(f"'{directive[0]}' is not a date format")
    try:
        moment = _shifted(now, shift=int(shift), unit=unit) if shift else now
    except (OverflowError, ValueError):
        raise ValueError("the date lies outside the years 1 to 9999") from None
    try:
        return moment.strftime(form or "%Y%m%d")
    except ValueError as error:
        raise ValueError(f"the date cannot be written in this format: {error}") from None


def _shifted(now: datetime, *, shift: int, unit: str) -> datetime:
    if unit in _UNITS:
        return now + timedelta(**{_UNITS[unit]: shift})
    months = now.year * 12 + now.month - 1 + (shift * 12 if unit == "y" else shift)
    year, month = months // 12, months % 12 + 1
    # One month before 31 March is the last day of February.
    day = min(now.day, calendar.monthrange(year, month)[1])
    return now.replace(year=year, month=month, day=day)
