"""What Python 3 cannot parse, rewritten piece by piece: no line moves."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from runyard.legacy.python2.leftovers import Leftover
from runyard.legacy.python2.lexer import Statement, pieces_of, statements_of
from runyard.legacy.python2.literals import literals
from runyard.legacy.python2.unpacking import Unpacking

_NO_STATEMENT = frozenset({"=", ".", ",", ")", "]", "}", ":", "==", "!=", "*", "if", "and", "or", "in", "is", "for"})
"""After the name `print`, these make it a name like any other."""
_GOES_ON = frozenset({"%", "+", "-", "*", "/", "//", ",", ".", "[", "**", "&", "|"})
"""After `print (...)`, these make the brackets a part of what is printed."""
_PRINT_FUNCTION = re.compile(r"^from\s+__future__\s+import\s*(?:\([^)]*|[^\n]*)\bprint_function", re.MULTILINE)


@dataclass(frozen=True)
class Rewritten:
    """A source with Python 3's grammar.

    Attributes:
        leftovers: what was changed.
        targets: plain names in the text, and what their values are to be unpacked to.
    """

    text: str
    leftovers: list[Leftover]
    targets: dict[str, str]


def rewrite(text: str, *, parses: bool) -> Rewritten:
    """Rewrites what Python 3 cannot parse.

    Args:
        parses: Python 3 can parse it: then only `print`, which it understands otherwise, is looked at.
    """
    pieces = pieces_of(text)
    found: list[Leftover] = []
    unpacking = Unpacking()
    if not parses:
        found += literals(pieces)
        found += unpacking.parameters(pieces)
    rules: list[Callable[[Statement], str | None]] = []
    if not _PRINT_FUNCTION.search(text):
        rules.append(_print)
    if not parses:
        rules += [unpacking.exception, _raise, _exec]
    for statement in statements_of(pieces):
        line = statement.pieces[0].line
        found += [Leftover(line, what) for rule in rules if (what := rule(statement))]
    return Rewritten("".join(piece.text for piece in pieces), found, unpacking.targets)


def _print(statement: Statement) -> str | None:
    if statement.first() != "print":
        return None
    rest = statement.pieces[1:]
    if rest and rest[0].text == "(":
        close = next((i for i, depth in enumerate(statement.depths[2:], 2) if depth == 0), None)
        after = statement.pieces[close + 1].text if close is not None and close + 1 < len(statement.pieces) else None
        if after not in _GOES_ON:
            return None
    elif rest and rest[0].text in _NO_STATEMENT:
        return None
    destination = _taken_destination(statement) if rest and rest[0].text == ">>" else ""
    last = statement.pieces[-1]
    ending = f"file={destination}" if destination else ""
    if rest and last.text == ",":
        last.text, ending = "", ", ".join(filter(None, [ending, "end=' '"]))
    left = any(piece.text for piece in rest)
    last.text += (", " if left and ending else "") + (ending if last is not statement.pieces[0] else "")
    statement.pieces[0].text = "print("
    last.text += ")"
    return "print x"


def _taken_destination(statement: Statement) -> str:
    """Takes `>>file,` out of the statement and returns `file`."""
    comma = next(iter(statement.at_top(",")), len(statement.pieces))
    taken = statement.pieces[1 : comma + 1]
    destination = "".join(piece.text for piece in statement.pieces[2:comma])
    for piece in taken:
        piece.text = ""
    return destination


def _raise(statement: Statement) -> str | None:
    commas = statement.at_top(",") if statement.first() == "raise" else []
    if not commas:
        return None
    pieces = statement.pieces
    value = pieces[commas[0] + 1 : commas[1] if len(commas) > 1 else None]
    if len(value) == 1 and value[0].text == "None":
        pieces[commas[0]].text = value[0].text = ""
    elif value and value[0].text == "(" and value[-1].text == ")":
        pieces[commas[0]].text = ""
    else:
        pieces[commas[0]].text = "("
        value[-1].text += ")"
    if len(commas) > 1:
        pieces[commas[1]].text = ".with_traceback("
        pieces[-1].text += ")"
    return "raise X, y"


def _exec(statement: Statement) -> str | None:
    if statement.first() != "exec" or len(statement.pieces) < 2 or statement.pieces[1].text in {"(", "=", "."}:
        return None
    for index in statement.at_top("in"):
        statement.pieces[index].text = ","
    statement.pieces[0].text = "exec("
    statement.pieces[-1].text += ")"
    return "exec x"
