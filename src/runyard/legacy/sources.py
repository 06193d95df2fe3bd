"""The files of a program: the one that is run, and those beside it that it imports."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from runyard.legacy.python2 import Conversion, convert

_AT_MOST = 500


@dataclass(frozen=True)
class Source:
    """A file of the program, read and converted but not run."""

    path: Path
    conversion: Conversion

    @property
    def tree(self) -> ast.Module:
        return self.conversion.tree


@dataclass(frozen=True)
class ProgramSources:
    """What could be read of a program.

    Attributes:
        sources: the program's own file first.
        unreadable: files that are not Python, with the reason.
    """

    sources: tuple[Source, ...]
    unreadable: tuple[tuple[Path, str], ...]


def read_program(path: Path, *, root: Path) -> ProgramSources:
    """Reads a program and every module below `root` that it imports, directly or not.

    Args:
        root: the folder that the program's imports start from.
    """
    waiting, seen = [path.absolute()], set[Path]()
    sources: list[Source] = []
    unreadable: list[tuple[Path, str]] = []
    while waiting and len(sources) < _AT_MOST:
        file = waiting.pop(0)
        if file in seen:
            continue
        seen.add(file)
        try:
            source = Source(file, convert(file.read_bytes(), file=str(file)))
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
            place = f"line {error.lineno}: {error.msg}" if isinstance(error, SyntaxError) else str(error)
            unreadable.append((file, place))
            continue
        sources.append(source)
        waiting += _imported_files(source.tree, file=file, root=root.absolute())
    return ProgramSources(tuple(sources), tuple(unreadable))


def _imported_files(tree: ast.Module, *, file: Path, root: Path) -> Iterator[Path]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _files(alias.name, folders=(root, file.parent))
        elif isinstance(node, ast.ImportFrom):
            folders = (file.parents[node.level - 1],) if node.level else (root, file.parent)
            module = f"{node.module}." if node.module else ""
            for alias in node.names:
                yield from _files(f"{module}{alias.name}", folders=folders)


def _files(module: str, *, folders: tuple[Path, ...]) -> Iterator[Path]:
    """The files that importing a module runs: its packages' and its own. The last part may be no module."""
    for folder in folders:
        place = folder
        for part in module.split("."):
            place = place / part
            for candidate in (place / "__init__.py", place.with_suffix(".py")):
                if candidate.is_file():
                    yield candidate
                    break
