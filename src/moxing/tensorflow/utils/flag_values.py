"""From what is written to a flag's value."""

from moxing.tensorflow.utils.flag_errors import FlagError
from runyard.legacy.moxing_flag_list import FlagValue, MoxingFlag

_TRUE = frozenset({"true", "t", "1", "yes", "y", "on"})
_FALSE = frozenset({"false", "f", "0", "no", "n", "off"})
_EXPECTED = {int: "a whole number", float: "a number", bool: "True or False", str: "a text"}


def flag_value(flag: MoxingFlag, given: object, *, place: str) -> FlagValue:
    """The value of a flag.

    Nothing given means the default: clouds pass `--num_gpus=` for a field that was left empty.

    Args:
        given: a text of the command line, or what a script has set.
        place: where it was given.

    Raises:
        FlagError: if it is no such value.
    """
    if given is None or (given == "" and flag.kind is not str):
        return flag.default
    value = _converted(flag, given)
    if value is None:
        expected = _EXPECTED[flag.kind]
        raise FlagError(f"{place}: {given!r} is not {expected}", hint=f"{flag.name}: {flag.help}")
    return value


def _converted(flag: MoxingFlag, given: object) -> FlagValue | None:
    if flag.kind is bool:
        word = str(given).strip().lower()
        return True if word in _TRUE else False if word in _FALSE else None
    if isinstance(given, bool) and flag.kind is not str:
        return None
    try:
        value = flag.kind(str(given).strip())
    except ValueError:
        return None
    return str(given) if flag.kind is str else value
