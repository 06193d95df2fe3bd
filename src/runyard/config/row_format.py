"""`row_format`: the template of a row, in the form of `str.format` and without its powers.

A placeholder names a column and nothing else: `{output.__class__}` is a column of that name, which no model has.
"""

import re
import string
from dataclasses import dataclass

_SPEC = re.compile(r"([^{}]?[<>=^])?[-+ ]?#?0?\d{0,3}[,_]?(\.\d{1,2})?[bdeEfFgGosxX%]?")
"""Python's own, with widths that no row needs left out."""


@dataclass(frozen=True)
class Placeholder:
    """`{key}` or `{key:spec}`."""

    key: str
    spec: str = ""


def parse_row_format(template: str) -> list[str | Placeholder]:
    """The text and the placeholders of a template, in order.

    Raises:
        ValueError: if it is not a template, in words for a person.
    """
    found: list[str | Placeholder] = []
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError as error:
        raise ValueError(f"is not a template: {error}; a brace of its own is written twice") from None
    for text, key, spec, conversion in parts:
        if text:
            found.append(text)
        if key is None:
            continue
        if not key:
            raise ValueError("has a placeholder without a name; name a column, as in {output}")
        if conversion:
            raise ValueError(f"has !{conversion} in {{{key}!{conversion}}}; only names and formats are possible")
        if not _SPEC.fullmatch(spec or ""):
            raise ValueError(
                f"has a format that is not possible here in {{{key}:{spec}}}; possible are such as {{{key}:.4f}}"
            )
        found.append(Placeholder(key, spec or ""))
    if not any(isinstance(part, Placeholder) for part in found):
        raise ValueError("has no placeholder; name a column, as in {output}")
    return found
