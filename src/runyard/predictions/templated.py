"""csv with `row_format`: each line as the job's template says."""

from pathlib import Path

import numpy as np

from runyard.config.eval_args import PredictArgs
from runyard.config.row_format import Placeholder, parse_row_format
from runyard.errors import ConfigError
from runyard.predictions.columns import Column, Columns
from runyard.predictions.delimited import joined_texts, number_pieces
from runyard.predictions.forward import Chunk
from runyard.predictions.row_ids import DEFAULT_NAME
from runyard.predictions.rows import Piece, between, dealt, joined_rows

_END = b"\n"


class TemplatedEncoder:
    """The text of a template with the values of a row in place of its placeholders.

    Raises:
        ConfigError: if a placeholder names no column, or a format does not fit its values.
    """

    def __init__(self, columns: Columns, *, args: PredictArgs) -> None:
        assert args.row_format is not None
        self._parts = parse_row_format(args.row_format)
        self._places = _places(columns)
        self._between_numbers = args.output_delim.encode()
        self._with_head = args.write_headers
        for part in self._parts:
            if isinstance(part, Placeholder):
                self._refuse(part, columns=columns)

    def head(self) -> bytes:
        """The template without its braces."""
        names = (part.key if isinstance(part, Placeholder) else part for part in self._parts)
        return "".join(names).encode() + _END if self._with_head else b""

    def encode(self, chunk: Chunk) -> bytes:
        pieces: list[Piece] = []
        for part in self._parts:
            if isinstance(part, str):
                pieces.append(part.encode())
            else:
                pieces += self._pieces(chunk.arrays[self._places[part.key]], spec=part.spec, rows=chunk.rows)
        return joined_rows([*pieces, _END], rows=chunk.rows)

    def finish(self, part: Path) -> Path:
        return part

    def _pieces(self, array: np.ndarray, *, spec: str, rows: int) -> list[Piece]:
        delimiter = self._between_numbers
        if array.dtype == object:
            texts = joined_texts(array, rows=rows, delimiter=delimiter)
            return [[_formatted_text(text, spec) for text in texts] if spec else texts]
        if not spec:
            return number_pieces(array, rows=rows, delimiter=delimiter)
        texts = [format(value, spec).encode() for value in array.reshape(-1).tolist()]
        return between(dealt(texts, rows=rows), delimiter=delimiter)

    def _refuse(self, placeholder: Placeholder, *, columns: Columns) -> None:
        if placeholder.key not in self._places:
            raise ConfigError(
                f"row_format names {{{placeholder.key}}}, but the columns are {', '.join(self._places)}",
                hint="change predict_args.row_format",
            )
        column = columns.all[self._places[placeholder.key]]
        try:
            format(_sample(column), placeholder.spec)
        except ValueError as error:
            raise ConfigError(
                f"row_format cannot write {column.name!r} as {{{placeholder.key}:{placeholder.spec}}}: {error}",
                hint="change predict_args.row_format",
            ) from error


def _places(columns: Columns) -> dict[str, int]:
    """Every name that a placeholder may have, and the column that it means; a column's own name comes first."""
    first = len(columns.all) - len(columns.outputs)
    places = {name: place for place, name in enumerate(columns.names)}
    if columns.row_id is not None:
        places.setdefault(DEFAULT_NAME, 0)
    places.setdefault("output", first)
    for number in range(len(columns.outputs)):
        places.setdefault(f"output_{number}", first + number)
    return places


def _sample(column: Column) -> object:
    return "" if column.dtype == object else np.zeros((), column.dtype).item()


def _formatted_text(text: bytes, spec: str) -> bytes:
    return format(text.decode(errors="surrogateescape"), spec).encode(errors="surrogateescape")
