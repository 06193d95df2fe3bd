"""The files that a job's `predict_data_args` name, and whether they are as they were."""

import glob
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path


def files_of_arguments(arguments: object, *, folders: Sequence[Path], result: Path, place: str = "") -> dict[str, str]:
    """A mark of the files that each text names, by the place of the text; texts that name none are left out.

    A text is the name of a file, of a directory, or a pattern with `*`, or several of them with commas between. The
    mark changes with names, sizes and times of change: reading all data would take as long as predicting them.

    Args:
        folders: where relative names may begin.
        result: what is being written, which is no input; nor is a directory that it is in.
    """
    if isinstance(arguments, Mapping):
        inner = [(str(key), value) for key, value in arguments.items()]
    elif isinstance(arguments, list | tuple):
        inner = [(str(number), value) for number, value in enumerate(arguments)]
    elif isinstance(arguments, str):
        found = {path for name in (arguments, *arguments.split(",")) for path in _named(name.strip(), folders, result)}
        return {place: _mark(sorted(found))} if found else {}
    else:
        return {}
    marks: dict[str, str] = {}
    for key, value in inner:
        below = f"{place}.{key}" if place else key
        marks |= files_of_arguments(value, folders=folders, result=result, place=below)
    return marks


def _named(name: str, folders: Sequence[Path], result: Path) -> Iterator[Path]:
    for folder in folders if name else ():
        try:
            yield from (path for path in _found(folder / name, result) if path != result and path.is_file())
        except (OSError, ValueError):
            continue  # Some texts cannot be names.


def _found(path: Path, result: Path) -> Iterator[Path]:
    if path.is_dir():
        if not result.is_relative_to(path.resolve()):
            yield from path.rglob("*")
    elif path.exists():
        yield path
    elif glob.has_magic(str(path)):
        yield from map(Path, glob.glob(str(path), recursive=True))  # noqa: PTH207 - it may be absolute


def _mark(paths: Sequence[Path]) -> str:
    found = hashlib.sha256()
    for path in paths:
        stat = path.stat()
        found.update(f"{path} {stat.st_size} {stat.st_mtime_ns}\n".encode(errors="surrogateescape"))
    return found.hexdigest()
