"""What can be known about a script without running it: its syntax, its functions and their parameters."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from runyard.config import Problem
from runyard.script.signature import Signature, signature_in_tree

_KEEPS_SIGNATURE = frozenset({"function", "do_not_convert"})
"""Decorators that leave the parameters as they are: `@tf.function`, `@tf.autograph.experimental.do_not_convert`."""


@dataclass(frozen=True)
class Outline:
    """The top-level names of a script. A name whose parameters cannot be seen from outside has the signature None.

    Args:
        names: what the script defines, imports or assigns at its top level.
        complete: False when there may be more names than these (`from x import *`, or a script that cannot be read).
        problems: why the script cannot be read or parsed.
    """

    names: Mapping[str, Signature | None]
    complete: bool
    problems: tuple[Problem, ...] = ()

    @property
    def factories(self) -> frozenset[str] | None:
        """Names that losses and metrics may use; None when they cannot be known."""
        return frozenset(self.names) if self.complete else None


def outline_script(path: Path) -> Outline:
    """Reads a script and the modules beside it that it imports names from."""
    try:
        source = path.read_bytes()
    except OSError as error:
        reason = "there is no such script" if isinstance(error, FileNotFoundError) else f"{error.strerror}"
        if path.is_dir():
            reason = "this is a directory, not a script"
        return _unreadable(Problem(reason, source=str(path)))
    try:
        tree = ast.parse(source, filename=str(path))
    except SyntaxError as error:
        text = (error.text or "").strip()
        return _unreadable(
            Problem(f"syntax error: {error.msg}", source=str(path), line=error.lineno, received=text or None)
        )
    except (ValueError, RecursionError, MemoryError) as error:
        return _unreadable(Problem(f"not a Python script: {error}", source=str(path)))
    return _outline(tree, path=path, visited=frozenset({path}))


def _unreadable(problem: Problem) -> Outline:
    return Outline({}, complete=False, problems=(problem,))


def _outline(tree: ast.Module, *, path: Path, visited: frozenset[Path]) -> Outline:
    names: dict[str, Signature | None] = {}
    complete = True
    for node in _top_level(tree.body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            plain = all(_keeps_signature(decorator) for decorator in node.decorator_list)
            names[node.name] = signature_in_tree(node, file=str(path)) if plain else None
        elif isinstance(node, ast.ClassDef):
            names[node.name] = None
        elif isinstance(node, ast.ImportFrom):
            beside = _module_beside(node, path=path, visited=visited)
            for alias in node.names:
                if alias.name == "*":
                    complete = complete and beside is not None and beside.complete
                    names.update(beside.names if beside else {})
                else:
                    names[alias.asname or alias.name] = beside.names.get(alias.name) if beside else None
        elif isinstance(node, ast.Import):
            names.update({(alias.asname or alias.name).split(".")[0]: None for alias in node.names})
        else:
            names.update(dict.fromkeys(_assigned(node)))
    return Outline(names, complete=complete)


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run when the script is loaded, also within `if`, `try`, `with` and loops."""
    for node in body:
        yield node
        for inner in ("body", "orelse", "finalbody", "handlers"):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                break
            for item in getattr(node, inner, []):
                yield from _top_level(item.body if isinstance(item, ast.ExceptHandler) else [item])


def _keeps_signature(decorator: ast.expr) -> bool:
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(target, ast.Attribute) and target.attr in _KEEPS_SIGNATURE


def _assigned(node: ast.stmt) -> Iterator[str]:
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign | ast.AugAssign):
        targets = [node.target]
    for target in targets:
        yield from (part.id for part in ast.walk(target) if isinstance(part, ast.Name))


def _module_beside(node: ast.ImportFrom, *, path: Path, visited: frozenset[Path]) -> Outline | None:
    if node.level > 1 or not node.module:
        return None
    module = path.parent.joinpath(*node.module.split("."))
    for candidate in (module.with_suffix(".py"), module / "__init__.py"):
        if candidate.is_file() and candidate not in visited:
            try:
                tree = ast.parse(candidate.read_bytes())
            except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
                return None
            return _outline(tree, path=candidate, visited=visited | {candidate})
    return None
