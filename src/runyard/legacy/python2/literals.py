"""Expressions that Python 3 cannot parse, rewritten in place."""

import re
from collections.abc import Iterator

from runyard.legacy.python2.leftovers import Leftover
from runyard.legacy.python2.lexer import Piece

_OCTAL = re.compile(r"0[0-7]+[lL]?\Z")
_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*(?=\\[uUN])")


def literals(pieces: list[Piece]) -> Iterator[Leftover]:
    """Numbers, strings and operators as Python 3 writes them."""
    opened = False
    for piece in pieces:
        if piece.kind == "operator" and piece.text == "`":
            piece.text, opened = (")", False) if opened else ("repr(", True)
            yield Leftover(piece.line, "`x`")
        elif piece.kind == "operator" and piece.text == "<>":
            piece.text = "!="
            yield Leftover(piece.line, "<>")
        elif piece.kind == "number" and (_OCTAL.match(piece.text) or piece.text[-1] in "lL"):
            yield Leftover(piece.line, piece.text)
            digits = piece.text.rstrip("lL")
            piece.text = f"0o{digits[1:]}" if _OCTAL.match(digits) else digits
        elif piece.kind == "string" and piece.text[:2].lower() == "ur":
            piece.text = piece.text[1:]
            yield Leftover(piece.line, "ur''")
        elif piece.kind == "string" and (plain := _escaped(piece.text)) != piece.text:
            piece.text = plain
            yield Leftover(piece.line, "\\u in a byte string")


def _escaped(text: str) -> str:
    """In strings without a prefix, Python 2 took `\\u` as it stands."""
    return _ESCAPE.sub(r"\\\g<0>", text) if text[0] in "'\"" else text
