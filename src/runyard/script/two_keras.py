"""Scripts that build models from two Keras at once, seen in the syntax tree.

TensorFlow brings Keras 2 as `tf_keras`, Keras 3 is `keras`, and `tf.keras` is the one that the job chooses. What Keras
itself says when a layer of one is put into a model of the other does not tell why.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from runyard.bridge.choice import KerasVersion

_MODEL_PARTS = frozenset({"layers", "models", "applications", "Model", "Sequential", "Input"})
"""What models are made of. Other parts, such as `keras.utils`, may come from either."""


def remark_on_two_keras(script: Path, *, chosen: KerasVersion) -> str | None:
    """What to say about a script that takes parts of models from both; None if it does not, or cannot be read.

    Args:
        chosen: which Keras `tf.keras` will be.
    """
    try:
        tree = ast.parse(script.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    versions: dict[str, KerasVersion] = {"keras": 3, "tf_keras": 2, "tensorflow.keras": chosen}
    first: dict[KerasVersion, tuple[int, str]] = {}
    for line, package in sorted(_uses(tree, packages=list(versions))):
        first.setdefault(versions[package], (line, package.replace("tensorflow", "tf")))
    if len(first) < 2:
        return None
    (old_line, old), (new_line, new) = first[2], first[3]
    return (
        f"{script.name} makes models from {old} (Keras 2, line {old_line}) and from {new} (Keras 3, line {new_line}), "
        "whose layers do not work together: take all from tf.keras; "
        'which Keras that is, the key "keras" of the job file says'
    )


def _uses(tree: ast.Module, *, packages: list[str]) -> Iterator[tuple[int, str]]:
    """The lines in which parts of models are taken from one of the packages."""
    imported = {alias: name for _, alias, name in _imports(tree)}
    named = [(line, name) for line, _, name in _imports(tree)]
    named += [(node.lineno, _dotted(node, imported)) for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    for line, name in named:
        for package in packages:
            if name.startswith(f"{package}.") and name.removeprefix(f"{package}.").split(".")[0] in _MODEL_PARTS:
                yield line, package


def _imports(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """The line, the name in the script and the full name of everything that is imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.split(".")[0]
                yield node.lineno, alias.asname or root, alias.name if alias.asname else root
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                yield node.lineno, alias.asname or alias.name, f"{node.module}.{alias.name}"


def _dotted(node: ast.expr, imported: dict[str, str]) -> str:
    """`tf.keras.layers` as `tensorflow.keras.layers`; empty for what is no chain of names from an import."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in imported:
        return ""
    return ".".join([imported[node.id], *reversed(parts)])
