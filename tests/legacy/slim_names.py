"""Every `module.name` in TF-Slim's source where the module is one of TensorFlow's own."""

import ast
import importlib
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from runyard.legacy.mends import mend_numpy, mend_tensorflow


def missing() -> dict[str, Any]:
    """How many there are, those that TensorFlow does not have, and what NumPy has again."""
    mend_tensorflow()
    mend_numpy()
    numpy: Any = importlib.import_module("numpy")
    folder = Path(str(importlib.import_module("tf_slim").__file__)).parent
    found = [use for file in folder.rglob("*.py") if not file.name.endswith("_test.py") for use in _uses(file)]
    return {
        "seen": len(found),
        "missing": [place for place, is_there in found if not is_there],
        "numpy": [numpy.float is float, numpy.int is int, numpy.bool is not bool],
    }


def _uses(file: Path) -> Iterator[tuple[str, bool]]:
    tree = ast.parse(file.read_text())
    modules: dict[str, types.ModuleType] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tensorflow.python"):
            for alias in node.names:
                found = getattr(importlib.import_module(node.module or ""), alias.name, None)
                if isinstance(found, types.ModuleType):
                    modules[alias.asname or alias.name] = found
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            place = f"{file.name}:{node.lineno} {node.value.id}.{node.attr}"
            yield place, hasattr(modules[node.value.id], node.attr)
