"""Rows of text from columns of text, all rows at once."""

from collections.abc import Sequence

Piece = bytes | list[bytes]
"""A part of every row: the same text in all of them, or one text for each."""


def joined_rows(pieces: Sequence[Piece], *, rows: int) -> bytes:
    """The rows, each made of the pieces in order."""
    width = len(pieces)
    flat: list[bytes] = [b""] * (width * rows)
    for place, piece in enumerate(pieces):
        flat[place::width] = [piece] * rows if isinstance(piece, bytes) else piece
    return b"".join(flat)


def dealt(texts: list[bytes], *, rows: int) -> list[list[bytes]]:
    """The texts of a flat array of several values for each row: the first of every row, the second, and so on."""
    width = len(texts) // rows if rows else 0
    return [texts[place::width] for place in range(width)]


def between(columns: Sequence[list[bytes]], *, delimiter: bytes) -> list[Piece]:
    """The columns with a delimiter between each two."""
    pieces: list[Piece] = []
    for column in columns:
        pieces += [delimiter, column] if pieces else [column]
    return pieces
