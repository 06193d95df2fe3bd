"""What can be wrong with a dataset. Both are `ValueError`s, too, for scripts that catch those."""

from typing import Any

from runyard.errors import DataError, ScriptError


class WrongData(DataError, ValueError):
    """Files are missing, or are not what they should be."""


class WrongArgument(ScriptError, ValueError):
    """A dataset was asked for something that it cannot do."""


def whole_number(value: Any, name: str, *, least: int) -> int:
    """The value, if it is a whole number that is large enough.

    Raises:
        WrongArgument: otherwise.
    """
    try:
        number = int(value)
    except (TypeError, ValueError):
        raise WrongArgument(f"{name} must be a whole number, not {value!r}") from None
    if number != value or isinstance(value, bool) or number < least:
        raise WrongArgument(f"{name} must be a whole number from {least} on, not {value!r}")
    return number


def optional_number(value: Any, name: str, *, least: int = 1) -> int | None:
    """The same; None stays None."""
    return None if value is None else whole_number(value, name, least=least)


def alias(value: Any, other: Any, *, name: str, other_name: str) -> Any:
    """An argument that has two spellings.

    Raises:
        WrongArgument: if it is missing.
    """
    found = other if value is None else value
    if found is None:
        raise WrongArgument(f"{name} is missing (also spelled {other_name})")
    return found
