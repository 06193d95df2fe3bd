"""Columns and rows without a model."""

from pathlib import Path
from typing import Any

import numpy as np

from runyard.config.eval_args import PredictArgs
from runyard.predictions.columns import Column, Columns
from runyard.predictions.encoders import encoder_for
from runyard.predictions.forward import Chunk

INT_IDS = np.arange(5) * 1_000_000_007 - 3
TEXT_IDS = np.array([b"a", b"b c", b'say "x"', "ü,;".encode(), b"two\nlines"], object)
SCORES = np.array([0.1, -2.5, 1e-7, 3.4028235e38, 0], np.float32)
MATRICES = np.linspace(-1, 1, 30, dtype=np.float32).reshape(5, 2, 3)


def columns(arrays: dict[str, Any], *, row_id: str | None = None) -> Columns:
    made = {name: Column(name, array.dtype, array.shape[1:]) for name, array in arrays.items()}
    outputs = tuple(column for name, column in made.items() if name != row_id)
    return Columns(made[row_id] if row_id else None, outputs)


def encoded(arrays: dict[str, Any], *, row_id: str | None = None, cut: int = 100, **args: Any) -> bytes:
    """The bytes of a file with these rows, encoded `cut` rows at a time."""
    encoder = encoder_for(columns(arrays, row_id=row_id), args=PredictArgs.model_validate(args))
    rows = len(next(iter(arrays.values())))
    chunk = Chunk(tuple(arrays.values()), rows)
    return encoder.head() + b"".join(encoder.encode(chunk.cut(start, start + cut)) for start in range(0, rows, cut))


def finished(folder: Path, arrays: dict[str, Any], *, row_id: str | None = None, cut: int = 100, **args: Any) -> Path:
    """The file itself."""
    part = folder / ".rows.part"
    part.write_bytes(encoded(arrays, row_id=row_id, cut=cut, **args))
    return encoder_for(columns(arrays, row_id=row_id), args=PredictArgs.model_validate(args)).finish(part)
