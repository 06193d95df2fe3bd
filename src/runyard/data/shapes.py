"""Structures of tensors as people read them."""

from collections.abc import Iterator
from typing import Any

from runyard.config import show_path


def describe(structure: Any) -> Iterator[tuple[str, str, str]]:
    """(path, shape, dtype) of every tensor in a structure."""
    yield from _walk(structure, path=())


def summary(structure: Any) -> str:
    """One line: `x: (32, 4) float32, ...`."""
    return ", ".join(f"{path + ': ' if path else ''}{shape} {dtype}" for path, shape, dtype in describe(structure))


def _walk(structure: Any, *, path: tuple[str | int, ...]) -> Iterator[tuple[str, str, str]]:
    if structure is None:
        return
    if isinstance(structure, dict):
        for key, value in structure.items():
            yield from _walk(value, path=(*path, str(key)))
    elif isinstance(structure, tuple | list):
        for index, value in enumerate(structure):
            yield from _walk(value, path=(*path, index))
    else:
        yield show_path(path), _shape(structure), _dtype(structure)


def _shape(tensor: Any) -> str:
    if tensor.shape.rank is None:
        return "(any shape)"
    sizes = ["?" if size is None else str(size) for size in tensor.shape]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


def _dtype(tensor: Any) -> str:
    return getattr(tensor.dtype, "name", str(tensor.dtype))
