"""Pieces of Python source, of version 2 or 3. Python's own tokenizer refuses what Python 2 wrote."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_PIECE = re.compile(
    r"""
    (?P<string>[rRbBuUfF]{0,3}(?:'''(?:\\.|[^\\])*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\"|'(?:\\.|[^\\\n'])*'|"(?:\\.|[^\\\n"])*"))
  | (?P<comment>\#[^\n]*)
  | (?P<continuation>\\\r?\n)
  | (?P<newline>\r?\n)
  | (?P<blank>[ \t\f]+)
  | (?P<number>0[xX][0-9a-fA-F_]+[lL]?|0[bB][01_]+[lL]?|0[oO][0-7_]+[lL]?
        |(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?[jJlL]?)
  | (?P<name>[^\W\d]\w*)
  | (?P<operator>\*\*=|//=|>>=|<<=|\.\.\.|<>|==|!=|<=|>=|->|:=|\+=|-=|\*=|/=|%=|&=|\|=|\^=|\*\*|//|>>|<<|.)
    """,
    re.VERBOSE | re.DOTALL,
)

_UNIMPORTANT = frozenset({"comment", "continuation", "newline", "blank"})


@dataclass
class Piece:
    """A piece of source. `text` is what it becomes; joined, the texts are the converted file."""

    kind: str
    text: str
    line: int

    @property
    def matters(self) -> bool:
        return self.kind not in _UNIMPORTANT


def pieces_of(text: str) -> list[Piece]:
    pieces: list[Piece] = []
    line = 1
    for match in _PIECE.finditer(text):
        found = match.group()
        pieces.append(Piece(match.lastgroup or "operator", found, line))
        line += found.count("\n")
    return pieces


_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_HEADERS = frozenset(
    {"if", "elif", "else", "for", "while", "try", "except", "finally", "with", "def", "class", "async"}
)


@dataclass(frozen=True)
class Statement:
    """The pieces that matter of one simple statement, or of the head of a compound one."""

    pieces: list[Piece]
    depths: list[int]

    def first(self) -> str:
        return self.pieces[0].text

    def at_top(self, text: str) -> list[int]:
        """Where a piece stands outside of all brackets."""
        return [i for i, piece in enumerate(self.pieces) if piece.text == text and self.depths[i] == 0]


def statements_of(pieces: list[Piece]) -> Iterator[Statement]:
    """Every statement of a file, in order."""
    current: list[Piece] = []
    depths: list[int] = []
    depth = lambdas = 0
    for piece in pieces:
        if depth == 0 and (piece.kind == "newline" or piece.text == ";"):
            if current:
                yield Statement(current, depths)
            current, depths, lambdas = [], [], 0
            continue
        if not piece.matters:
            continue
        if piece.text in _CLOSE and piece.kind == "operator":
            depth = max(depth - 1, 0)
        current.append(piece)
        depths.append(depth)
        if piece.text in _OPEN and piece.kind == "operator":
            depth += 1
        elif piece.text == "lambda" and depth == 0:
            lambdas += 1
        elif piece.text == ":" and depth == 0 and current[0].text in _HEADERS:
            if lambdas:
                lambdas -= 1
                continue
            yield Statement(current, depths)
            current, depths = [], []
    if current:
        yield Statement(current, depths)
