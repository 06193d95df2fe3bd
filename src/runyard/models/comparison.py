"""Are the outputs of an exported model those of its source?"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from runyard.errors import ModelError

Arrays = Mapping[str, Any]


def largest_difference(found: Arrays, expected: Arrays, *, tolerance: float, what: str) -> float:
    """The largest difference of any number, in parts of the largest number of its output (or of 1, if that is more).

    Raises:
        ModelError: if an output is missing, of another shape, or further off than `tolerance`.
    """
    if set(found) != set(expected):
        raise ModelError(f"{what} has the outputs {sorted(found)}, its source has {sorted(expected)}")
    differences = {name: _difference(found[name], expected[name], name=name, what=what) for name in expected}
    wrong = {name: difference for name, difference in differences.items() if not difference <= tolerance}
    if wrong:
        name, difference = max(wrong.items(), key=lambda item: np.nan_to_num(item[1], nan=np.inf))
        raise ModelError(
            f"{what} does not give the outputs of its source: {name!r} differs by {difference:.3g}, "
            f"allowed are {tolerance:g}; nothing was published"
        )
    return max(differences.values(), default=0.0)


def _difference(found: Any, expected: Any, *, name: str, what: str) -> float:
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape:
        raise ModelError(
            f"{what} does not give the outputs of its source: {name!r} has the shape {found.shape}, "
            f"its source gives {expected.shape}; nothing was published"
        )
    if not found.size:
        return 0.0
    if not (_is_real(found) and _is_real(expected)):
        return 0.0 if _texts(found) == _texts(expected) else float("inf")
    one, other = found.astype(np.float64), expected.astype(np.float64)
    equal = (one == other) | (np.isnan(one) & np.isnan(other))
    if equal.all():
        return 0.0
    finite = np.abs(other[np.isfinite(other)])
    with np.errstate(invalid="ignore"):
        off = np.where(equal, 0.0, np.abs(one - other))
    return float(off.max() / max(1.0, finite.max(initial=0.0)))


def _is_real(array: Any) -> bool:
    return np.issubdtype(array.dtype, np.floating)


def _texts(array: Any) -> list[Any]:
    """Whole numbers, truth values and texts, which must be the same."""
    return [value.encode() if isinstance(value, str) else value for value in array.ravel().tolist()]
