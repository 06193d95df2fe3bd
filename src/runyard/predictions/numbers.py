"""Many numbers as text, quickly: the shortest digits that give back the very same number."""

from typing import Any

import numpy as np
from pydantic_core import to_json

_POWERS = 10.0 ** np.arange(23)
"""All powers of ten that a double holds exactly."""

_SMALLEST, _LARGEST = 1e-13, 1e16
_AT_ONCE = 16_384
"""Values between two moments at which other threads may run."""


def number_texts(values: np.ndarray, *, nan: bytes, infinity: bytes) -> list[bytes]:
    """The text of each number of a flat array.

    Args:
        nan: what is written for a value that is no number.
        infinity: what is written for infinity, with a minus in front of it for the negative one if it is a word.
    """
    if values.dtype == np.float32:
        values = shortest_doubles(values)
    texts: list[bytes] = []
    for start in range(0, len(values), _AT_ONCE):
        texts += to_json(values[start : start + _AT_ONCE].tolist())[1:-1].split(b",")
    if values.dtype.kind == "f":
        _rename_odd(texts, values, nan=nan, infinity=infinity)
    return texts


def shortest_doubles(values: np.ndarray) -> np.ndarray:
    """Doubles that print as the shortest text of each float32.

    A double prints with up to 17 digits, 0.10000000149011612 for the float32 next to 0.1. The double of the fewest
    decimal digits that rounds to the same float32 prints with those digits: 0.1.
    """
    exact = values.astype(np.float64)
    size = np.abs(exact)
    ordinary = (size >= _SMALLEST) & (size < _LARGEST)
    exponent = np.floor(np.log10(np.where(ordinary, size, 1.0))).astype(np.int64)
    found, open_ = exact.copy(), ordinary
    for digits in (6, 7, 8, 9):
        shift = digits - 1 - exponent
        scale = _POWERS[np.minimum(np.abs(shift), len(_POWERS) - 1)]
        with np.errstate(all="ignore"):
            rounded = np.where(shift >= 0, np.rint(exact * scale) / scale, np.rint(exact / scale) * scale)
            same = open_ & (rounded.astype(np.float32) == values)
        found = np.where(same, rounded, found)
        open_ = open_ & ~same
    rest = ~ordinary & np.isfinite(exact) & (exact != 0)
    if rest.any():
        found[rest] = values[rest].astype("U").astype(np.float64)
    return found


def truth_texts(values: np.ndarray, *, true: bytes, false: bytes) -> list[bytes]:
    return [true if value else false for value in values.tolist()]


def _rename_odd(texts: list[bytes], values: Any, *, nan: bytes, infinity: bytes) -> None:
    for index in np.flatnonzero(~np.isfinite(values)).tolist():
        value = values[index]
        if np.isnan(value):
            texts[index] = nan
        else:
            texts[index] = infinity if value > 0 or infinity == nan else b"-" + infinity
