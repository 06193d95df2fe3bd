"""parquet: typed columns in row groups.

A Parquet file ends with a list of all its parts, so it cannot grow over several runs. While rows come, they are kept as
an Arrow stream, which can; when all are there, the stream is written as Parquet. Row groups have the same rows however
the stream was made.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from runyard.checkpoint.durable import storage_errors
from runyard.errors import PlatformError
from runyard.predictions.columns import Column, Columns
from runyard.predictions.forward import Chunk
from runyard.predictions.one_value import one_value, unicode_texts

_GROUP_BYTES = 32 * 2**20
_GROUP_ROWS = 2**17


def require_pyarrow() -> None:
    """Says what to install before anything is done.

    Raises:
        PlatformError: if pyarrow is not there.
    """
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise PlatformError(
            "parquet needs pyarrow, which is not installed",
            hint="pip install 'runyard[parquet]', or choose another format",
        ) from error


class ParquetEncoder:
    """Outputs of several numbers are lists, of several dimensions lists of lists."""

    def __init__(self, columns: Columns) -> None:
        import pyarrow

        self._arrow: Any = pyarrow
        self._columns = columns
        self._schema = pyarrow.schema([(column.name, self._type(column)) for column in columns.all])
        self._group_rows = max(1, min(_GROUP_ROWS, _GROUP_BYTES // max(1, columns.row_bytes)))

    def head(self) -> bytes:
        return self._schema.serialize().to_pybytes()

    def encode(self, chunk: Chunk) -> bytes:
        arrays = [
            self._nested(one_value(array, column=column), name=column.name)
            for array, column in zip(chunk.arrays, self._columns.all, strict=True)
        ]
        return self._arrow.record_batch(arrays, schema=self._schema).serialize().to_pybytes()

    def finish(self, part: Path) -> Path:
        import pyarrow.parquet

        whole = part.with_suffix(".whole")
        with storage_errors(whole), pyarrow.parquet.ParquetWriter(whole, self._schema) as writer:
            for group in self._groups(part):
                writer.write_table(group, row_group_size=self._group_rows)
        return whole

    def _groups(self, part: Path) -> Iterator[Any]:
        """All rows of the stream, as many as a row group has at a time."""
        waiting: list[Any] = []
        rows = 0
        with self._arrow.OSFile(str(part)) as file, self._arrow.ipc.open_stream(file) as stream:
            for batch in stream:
                waiting.append(batch)
                rows += batch.num_rows
                while rows >= self._group_rows:
                    table = self._arrow.Table.from_batches(waiting)
                    yield table.slice(0, self._group_rows)
                    waiting = table.slice(self._group_rows).to_batches()
                    rows -= self._group_rows
        if rows:
            yield self._arrow.Table.from_batches(waiting)

    def _type(self, column: Column) -> Any:
        kind = self._arrow.string() if column.dtype == object else self._arrow.from_numpy_dtype(column.dtype)
        for _ in () if column.shape in ((1,), None) else column.shape:
            kind = self._arrow.list_(kind)
        return kind

    def _nested(self, array: np.ndarray, *, name: str) -> Any:
        flat = array.reshape(-1)
        values = self._arrow.array(unicode_texts(flat, name=name) if array.dtype == object else flat)
        for axis in range(array.ndim - 1, 0, -1):
            count = int(np.prod(array.shape[:axis]))
            offsets = np.arange(count + 1, dtype=np.int32) * array.shape[axis]
            values = self._arrow.ListArray.from_arrays(self._arrow.array(offsets), values)
        return values
