"""Whether a package that is installed has a name. Looks at its files; nothing is imported."""

import ast
import importlib.util
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

_KERAS_2 = ("tf_keras", ("api/_v1/keras", "", "src"))
"""Where `stand_in` looks for a module, in this order."""
_INSIDE_TENSORFLOW = ("tensorflow", ("python",))


def in_keras_2(name: str) -> bool:
    """Whether a name below `tensorflow.python.keras` is a module of Keras 2, or begins with what one has."""
    return _is_in(*_KERAS_2, name)


def inside_tensorflow(name: str) -> bool:
    """Whether a name below `tensorflow.python` is one of its modules, or begins with what one has."""
    return _is_in(*_INSIDE_TENSORFLOW, name)


def _is_in(package: str, folders: tuple[str, ...], name: str) -> bool:
    parts = name.split(".") if name else []
    for length in range(len(parts), -1, -1):
        file = _module(package, folders, tuple(parts[:length]))
        if file is not None:
            return length == len(parts) or file.suffix != ".py" or _has(file, parts[length])
    return False


@cache
def _module(package: str, folders: tuple[str, ...], path: tuple[str, ...]) -> Path | None:
    found = importlib.util.find_spec(package)
    for root in found.submodule_search_locations or () if found is not None else ():
        for folder in folders:
            base = Path(root, folder, *path)
            for file in (base / "__init__.py", base.with_suffix(".py"), base.with_suffix(".so")):
                if file.is_file():
                    return file
    return None


@cache
def _has(file: Path, name: str) -> bool:
    names = set(_names(ast.parse(file.read_bytes()).body))
    return name in names or "*" in names


def _names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """What a module's own statements bind, those within `if` and `try` included."""
    for node in nodes:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                yield from (alias.asname or alias.name.split(".")[0] for alias in aliases)
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case _:
                yield from _names(ast.iter_child_nodes(node))
