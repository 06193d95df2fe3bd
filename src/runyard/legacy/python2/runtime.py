"""What converted code calls where Python 2 and 3 differ only in what values do."""

import operator
import sys
from collections.abc import Iterator
from functools import cmp_to_key, reduce
from importlib import reload
from pathlib import Path
from typing import Any

from runyard.legacy.python2.conversion import convert
from runyard.telemetry import note

__all__ = ["cmp_to_key", "reduce", "reload"]

_told: set[tuple[str, int]] = set()


def divide(left: Any, right: Any) -> Any:
    """`/` as Python 2 had it: between integers it is floor division."""
    return operator.floordiv(left, right) if _integer(left) and _integer(right) else operator.truediv(left, right)


def divide_in_place(left: Any, right: Any) -> Any:
    """`/=` as Python 2 had it."""
    return operator.ifloordiv(left, right) if _integer(left) and _integer(right) else operator.itruediv(left, right)


def _integer(value: Any) -> bool:
    """Integers of Python, NumPy (arrays as well) and TensorFlow."""
    if isinstance(value, int):
        return True
    dtype = getattr(value, "dtype", None)
    return bool(getattr(dtype, "is_integer", False)) or getattr(dtype, "kind", "") in ("i", "u")


def code_point(value: Any) -> int:
    """`ord`, also of what iterating over bytes gives: Python 3's bytes are made of integers already."""
    if not isinstance(value, int):
        return ord(value)
    caller = sys._getframe(1)
    place = (caller.f_code.co_filename, caller.f_lineno)
    if place not in _told:
        _told.add(place)
        note(f"{place[0]}: Python 2 converted in memory: ord() of a byte (line {place[1]}) is the byte")
    return value


def arguments_of(error: BaseException) -> tuple[Any, ...]:
    """What `except X, (a, b)` unpacked. Those of a missing file are its number and its text, as ever."""
    return error.args


def next_of(iterator: Any) -> Any:
    """`iterator.next()`."""
    return iterator.next() if hasattr(iterator, "next") else next(iterator)


def has_key(mapping: Any, key: Any) -> bool:
    return mapping.has_key(key) if hasattr(mapping, "has_key") else key in mapping


def iteritems(mapping: Any) -> Iterator[Any]:
    return mapping.iteritems() if hasattr(mapping, "iteritems") else iter(mapping.items())


def itervalues(mapping: Any) -> Iterator[Any]:
    return mapping.itervalues() if hasattr(mapping, "itervalues") else iter(mapping.values())


def iterkeys(mapping: Any) -> Iterator[Any]:
    return mapping.iterkeys() if hasattr(mapping, "iterkeys") else iter(mapping.keys())


def compare(left: Any, right: Any) -> int:
    """`cmp`."""
    return (left > right) - (left < right)


def run_file(path: str, variables: dict[str, Any]) -> None:
    """`execfile`."""
    exec(compile(convert(Path(path).read_bytes(), file=path).tree, path, "exec"), variables)
