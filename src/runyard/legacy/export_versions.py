"""`tensorflow.contrib.session_bundle.gc`: which exported versions to keep."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import tensorflow

_files: Any = tensorflow.io.gfile


class Path(NamedTuple):
    """A folder with an export, and its version."""

    path: str
    export_version: int | None


Filter = Callable[[list[Path]], list[Path]]
"""From exports to some of them."""


def get_paths(base_dir: Any, parser: Callable[[Path], Path | None]) -> list[Path]:
    """The exports below a folder, oldest first.

    Args:
        parser: fills in the version, or gives None for what is no export.
    """
    base = base_dir.decode() if isinstance(base_dir, bytes) else str(base_dir)
    names = [str(name).rstrip("/") for name in _files.listdir(base)] if _files.isdir(base) else []
    found = (parser(Path(f"{base.rstrip('/')}/{name}", None)) for name in names)
    return sorted((path for path in found if path is not None), key=_version)


def largest_export_versions(n: int) -> Filter:
    """Keeps the newest."""
    return lambda paths: sorted(paths, key=_version)[max(0, len(paths) - n) :]


def one_of_every_n_export_versions(n: int) -> Filter:
    """Keeps the newest of every interval of n versions; version 0 belongs to the first."""

    def keep(paths: list[Path]) -> list[Path]:
        newest = {max(0, _version(path) - 1) // n: path for path in sorted(paths, key=_version)}
        return list(newest.values())

    return keep


def mod_export_version(n: int) -> Filter:
    """Keeps those whose version is a multiple of n."""
    return lambda paths: sorted((path for path in paths if _version(path) % n == 0), key=_version)


def union(lf: Filter, rf: Filter) -> Filter:
    """Keeps what one of the two keeps."""
    return lambda paths: sorted({*lf(paths), *rf(paths)}, key=_version)


def negation(f: Filter) -> Filter:
    """Keeps what the other does not."""

    def others(paths: list[Path]) -> list[Path]:
        kept = set(f(paths))
        return sorted((path for path in paths if path not in kept), key=_version)

    return others


def _version(path: Path) -> int:
    return path.export_version or 0


def delete(paths: Iterable[Path]) -> None:
    for path in paths:
        _files.rmtree(path.path)
