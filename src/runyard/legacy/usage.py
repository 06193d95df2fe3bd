"""Which names of TensorFlow a file uses, and where, read off its syntax tree."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from runyard.legacy.api_names import Era, api_names
from runyard.legacy.sources import Source


@dataclass(frozen=True, order=True)
class Use:
    """One use. `name` is without the leading `tf.`; it is empty where TensorFlow itself is imported."""

    file: Path
    line: int
    name: str


def tensorflow_uses(source: Source) -> list[Use]:
    """Every import of TensorFlow and every name that is reached through one."""
    aliases = _Aliases(source.tree)
    found = list(aliases.imports)
    for line, chain in _chains(source.tree):
        name = aliases.resolve(chain)
        if name is not None:
            found.append((line, name))
    return sorted({Use(source.path, line, name) for line, name in found})


def other_imports(source: Source) -> Iterator[tuple[int, str]]:
    """The lines and names of the modules that a file imports, other than TensorFlow."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names if not _below_tensorflow(alias.name))
        elif isinstance(node, ast.ImportFrom) and not node.level and not _below_tensorflow(node.module or ""):
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def methods(source: Source, names: frozenset[str]) -> Iterator[tuple[int, str]]:
    """The lines in which one of these methods is called on anything but a module of TensorFlow."""
    aliases = _Aliases(source.tree)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Attribute) and node.attr in names and aliases.resolve(_chain(node) or "") is None:
            yield node.lineno, node.attr


def words(source: Source) -> Iterator[str]:
    """Every name, attribute and text of a file; options such as `--steps` without their dashes."""
    for node in ast.walk(source.tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
            case ast.Constant(value=str(text)):
                yield text.lstrip("-")
            case _:
                pass


def _below_tensorflow(module: str) -> bool:
    return module.split(".")[0] == "tensorflow"


class _Aliases:
    """What the names of a file stand for: `tf` for TensorFlow, `slim` for `tf.contrib.slim`."""

    def __init__(self, tree: ast.Module) -> None:
        self.imports: list[tuple[int, str]] = []
        self._meanings: dict[str, str] = {}
        self._takes_all = False
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self._plain(node)
            elif isinstance(node, ast.ImportFrom) and not node.level and _below_tensorflow(node.module or ""):
                self._from(node)
        for node in ast.walk(tree):
            match node:
                case ast.Assign(targets=[ast.Name(id=alias)], value=ast.Attribute() as value):
                    meaning = self.resolve(_chain(value) or "")
                    if meaning is not None and alias not in self._meanings:
                        self._meanings[alias] = meaning
                case _:
                    pass

    def resolve(self, chain: str) -> str | None:
        """`tf.train.Saver` as `train.Saver`; None if it does not start at TensorFlow."""
        first, _, rest = chain.partition(".")
        if first not in self._meanings:
            known = self._takes_all and api_names().era(first)[0] in (Era.ONE, Era.TWO)
            return chain if known else None
        return ".".join(filter(None, [self._meanings[first], rest]))

    def _plain(self, node: ast.Import) -> None:
        for alias in node.names:
            if _below_tensorflow(alias.name):
                name = alias.name.partition(".")[2]
                self.imports.append((node.lineno, name))
                self._means(alias.asname or "tensorflow", name if alias.asname else "")

    def _from(self, node: ast.ImportFrom) -> None:
        package = (node.module or "").partition(".")[2]
        for alias in node.names:
            name = ".".join(filter(None, [package, alias.name])) if alias.name != "*" else package
            self.imports.append((node.lineno, name))
            if alias.name != "*":
                self._means(alias.asname or alias.name, name)
            elif not package:
                self._takes_all = True

    def _means(self, alias: str, name: str) -> None:
        """Of `try: import tensorflow.compat.v1 as tf` and its other branch, the first is what runs."""
        if not self._meanings.get(alias, "").startswith("compat"):
            self._meanings[alias] = name


def _chains(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The longest chains of names: `a.b.c`, not `a.b` within it."""
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name) and id(node) not in inner:
            chain = _chain(node)
            if chain is not None and isinstance(node.ctx, ast.Load):
                yield node.lineno, chain


def _chain(node: ast.expr) -> str | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None
