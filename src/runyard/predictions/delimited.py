"""csv: a line for each row, with the delimiters or the template that the job gives.

A text that holds the delimiter, a quote or the end of a line is put in quotes, as Python's `csv` and others read it.
A template says itself what stands around a value, so nothing is quoted there.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from runyard.config.eval_args import PredictArgs
from runyard.predictions.columns import Columns
from runyard.predictions.forward import Chunk
from runyard.predictions.numbers import number_texts, truth_texts
from runyard.predictions.rows import Piece, between, dealt, joined_rows

_END = b"\n"


class DelimitedEncoder:
    """Columns with a delimiter between them."""

    def __init__(self, columns: Columns, *, args: PredictArgs) -> None:
        self._columns = columns
        self._between_columns = args.result_field_delim.encode()
        self._between_numbers = args.output_delim.encode()
        self._with_head = args.write_headers

    def head(self) -> bytes:
        names = quoted([name.encode() for name in self._columns.names], delimiter=self._between_columns)
        return self._between_columns.join(names) + _END if self._with_head else b""

    def encode(self, chunk: Chunk) -> bytes:
        return joined_rows([*self._pieces(chunk), _END], rows=chunk.rows)

    def finish(self, part: Path) -> Path:
        return part

    def _pieces(self, chunk: Chunk) -> Iterator[Piece]:
        for place, array in enumerate(chunk.arrays):
            if place:
                yield self._between_columns
            if array.dtype == object:
                texts = joined_texts(array, rows=chunk.rows, delimiter=self._between_numbers)
                texts = quoted(texts, delimiter=self._between_columns)
                # A line with nothing in it is no row.
                yield texts if len(chunk.arrays) > 1 else [text or b'""' for text in texts]
            else:
                yield from number_pieces(array, rows=chunk.rows, delimiter=self._between_numbers)


def number_pieces(array: np.ndarray, *, rows: int, delimiter: bytes) -> list[Piece]:
    """The numbers of each row, in row-major order."""
    flat = array.reshape(-1)
    if array.dtype == bool:
        texts = truth_texts(flat, true=b"True", false=b"False")
    else:
        texts = number_texts(flat, nan=b"nan", infinity=b"inf")
    return between(dealt(texts, rows=rows), delimiter=delimiter)


def joined_texts(array: np.ndarray, *, rows: int, delimiter: bytes) -> list[bytes]:
    """The texts of each row as one."""
    if array.ndim == 1:
        return array.tolist()
    return [delimiter.join(row) for row in array.reshape(rows, -1).tolist()]


def quoted(texts: list[bytes], *, delimiter: bytes) -> list[bytes]:
    """The texts, in quotes where they must be."""
    everything = _END.join(texts)
    special = (delimiter, b'"', b"\r")
    if not any(sign in everything for sign in special) and everything.count(_END) < len(texts):
        return texts
    special = (*special, _END)
    return [
        b'"' + text.replace(b'"', b'""') + b'"' if any(sign in text for sign in special) else text for text in texts
    ]
