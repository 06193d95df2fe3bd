"""jsonl: a JSON object for each row. JSON has no NaN and no infinity: they are null."""

import json
from collections.abc import Iterator
from json.encoder import encode_basestring
from pathlib import Path

import numpy as np

from runyard.predictions.columns import Columns
from runyard.predictions.forward import Chunk
from runyard.predictions.numbers import number_texts, truth_texts
from runyard.predictions.one_value import one_value, unicode_texts
from runyard.predictions.rows import Piece, dealt, joined_rows

_NULL = b"null"


class JsonLinesEncoder:
    """Outputs of several numbers are lists, of several dimensions lists of lists."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._keys = [json.dumps(name, ensure_ascii=False).encode() for name in columns.names]

    def head(self) -> bytes:
        return b""

    def encode(self, chunk: Chunk) -> bytes:
        return joined_rows(list(self._pieces(chunk)), rows=chunk.rows)

    def finish(self, part: Path) -> Path:
        return part

    def _pieces(self, chunk: Chunk) -> Iterator[Piece]:
        opening = b"{"
        for key, column, array in zip(self._keys, self._columns.all, chunk.arrays, strict=True):
            yield opening + key + b": "
            yield from _value(one_value(array, column=column), rows=chunk.rows, name=column.name)
            opening = b", "
        yield b"}\n"


def _value(array: np.ndarray, *, rows: int, name: str) -> Iterator[Piece]:
    columns = iter(dealt(_texts(array.reshape(-1), name=name), rows=rows))
    yield from _nested(columns, shape=array.shape[1:])


def _nested(columns: Iterator[list[bytes]], *, shape: tuple[int, ...]) -> Iterator[Piece]:
    if not shape:
        yield next(columns)
        return
    yield b"["
    for number in range(shape[0]):
        if number:
            yield b", "
        yield from _nested(columns, shape=shape[1:])
    yield b"]"


def _texts(flat: np.ndarray, *, name: str) -> list[bytes]:
    if flat.dtype == object:
        return [encode_basestring(text).encode() for text in unicode_texts(flat, name=name)]
    if flat.dtype == bool:
        return truth_texts(flat, true=b"true", false=b"false")
    return number_texts(flat, nan=_NULL, infinity=_NULL)
