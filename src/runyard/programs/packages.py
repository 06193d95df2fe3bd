"""Packages that a program needs and that are not installed."""

import ast
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

from runyard.legacy.sources import ProgramSources

_NAMES = {
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python-headless",
    "PIL": "pillow",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}
"""Modules whose package has another name."""


def told_missing(module: str) -> str:
    """What a person is told about a module that is not there."""
    return (
        f"{module} is neither a module beside the program nor installed; "
        f"if it is a package: pip install {_NAMES.get(module, module)}"
    )


def is_missing(module: str) -> bool:
    """Whether a top-level module is not there."""
    return bool(module) and module not in sys.modules and importlib.util.find_spec(module) is None


def missing_modules(program: ProgramSources, *, root: Path) -> list[str]:
    """Top-level modules that a program imports and that neither it nor anybody else has.

    What it imports in a `try` it may do without.

    Args:
        root: the folder that the program's imports start from.
    """
    folders = {root, *(source.path.parent for source in program.sources)}
    beside = {entry.stem for folder in folders for entry in folder.iterdir()}
    named = {name for source in program.sources for name in _imported(source.tree.body)}
    return sorted(name for name in named - beside if is_missing(name))


def _imported(nodes: list[ast.stmt]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Import(names=aliases):
                yield from (alias.name.split(".")[0] for alias in aliases)
            case ast.ImportFrom(module=str(module), level=0):
                yield module.split(".")[0]
            case _:
                pass
