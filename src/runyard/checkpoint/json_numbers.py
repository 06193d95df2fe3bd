"""Numbers that JSON lacks."""

import math
from collections.abc import Mapping
from typing import Any


def without_nan(value: Any) -> Any:
    """The same dicts and lists, with null where a number is NaN or infinite."""
    if isinstance(value, Mapping):
        return {key: without_nan(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
