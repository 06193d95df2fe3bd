"""What an unquoted word stands for in YAML 1.2."""

import re

from runyard.config.relaxed_json import MAX_DIGITS, parse_number

_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_OTHER_BASE = re.compile(r"0x[0-9a-fA-F]+|0o[0-7]+")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_CONSTANTS: dict[str, object] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


def resolve_plain(text: str) -> object:
    """What an unquoted scalar stands for in YAML 1.2.

    Raises:
        ValueError: with a message for a person, if it is a number that cannot be computed with.
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _DECIMAL.fullmatch(text):
        return parse_number(text)
    if _OTHER_BASE.fullmatch(text):
        number = int(text, 0)
        if number.bit_length() > 3 * MAX_DIGITS:
            raise ValueError("number too large")
        return number
    if _NOT_FINITE.fullmatch(text):
        raise ValueError(f"{text} is not allowed; a job file holds finite numbers only")
    return text
