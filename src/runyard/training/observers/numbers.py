"""Results as people read them."""

from collections.abc import Mapping
from typing import Any


def show_numbers(results: Mapping[str, Any]) -> str:
    """`loss 0.6931, auc 0.5`."""
    return ", ".join(f"{name} {_number(value)}" for name, value in results.items())


def _number(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_number, value)) + "]"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
