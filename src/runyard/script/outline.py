"""What can be known about a script without running it: its syntax, its functions and their parameters."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from runyard.config import Problem
from runyard.script.signature import Signature, signature_in_tree
from runyard.script.top_level import assigned_names, declared_global, defines_unseen_names, top_level

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


def why_not_a_script(path: Path) -> str | None:
    """What stands in the way of reading a script; None if there is a file."""
    if path.is_file():
        return None
    return "this is a directory, not a script" if path.is_dir() else "there is no such script"


def outline_script(path: Path) -> Outline:
    """Reads a script and the modules beside it that it imports names from."""
    reason = why_not_a_script(path)
    if reason is not None:
        return _unreadable(Problem(reason, source=str(path)))
    try:
        tree = _parse(path)
    except OSError as error:
        return _unreadable(Problem(f"the script cannot be read: {error.strerror}", source=str(path)))
    except SyntaxError as error:
        return _unreadable(_syntax_problem(error, path=path))
    except (ValueError, RecursionError, MemoryError) as error:
        return _unreadable(Problem(f"not a Python script: {error}", source=str(path)))
    real = path.resolve()
    return _outline(tree, path=real, folder=real.parent, visited=frozenset({real}))


def _parse(path: Path) -> ast.Module:
    source = path.read_bytes()
    # Some errors, such as a return outside a function, are only found by compiling.
    compile(source, str(path), "exec", dont_inherit=True)
    return ast.parse(source, filename=str(path))


def _syntax_problem(error: SyntaxError, *, path: Path) -> Problem:
    text = (error.text or "").strip()
    if "'utf-8' codec" in error.msg:
        message = "the script is not UTF-8 text; save it with the encoding UTF-8"
    else:
        message = f"syntax error: {error.msg}"
    return Problem(message, source=str(path), line=error.lineno or None, received=text or None)


def _unreadable(problem: Problem) -> Outline:
    return Outline({}, complete=False, problems=(problem,))


def _outline(tree: ast.Module, *, path: Path, folder: Path, visited: frozenset[Path]) -> Outline:
    names: dict[str, Signature | None] = dict.fromkeys(declared_global(tree))
    complete = not defines_unseen_names(tree)
    for statement in top_level(tree.body):
        node = statement.node
        if isinstance(node, ast.ImportFrom):
            beside = _module_beside(node, path=path, folder=folder, visited=visited)
            if node.names[0].name == "*":
                complete = complete and beside is not None and beside.complete
            defined = _imported(node, beside=beside)
        else:
            defined = _defined(node, file=str(path))
        for name, signature in defined.items():
            # Of two definitions of which one depends on a condition, either may be the one in force.
            unsure = statement.conditional and name in names
            names[name] = None if unsure else signature
    return Outline(names, complete=complete)


def _defined(node: ast.stmt, *, file: str) -> Mapping[str, Signature | None]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        plain = all(_keeps_signature(decorator) for decorator in node.decorator_list)
        return {node.name: signature_in_tree(node, file=file) if plain else None}
    if isinstance(node, ast.ClassDef):
        return {node.name: None}
    if isinstance(node, ast.Import):
        return {alias.asname or alias.name.split(".")[0]: None for alias in node.names}
    return dict.fromkeys(assigned_names(node))


def _imported(node: ast.ImportFrom, *, beside: Outline | None) -> Mapping[str, Signature | None]:
    known = beside.names if beside is not None else {}
    if node.names[0].name == "*":
        return {name: signature for name, signature in known.items() if not name.startswith("_")}
    return {alias.asname or alias.name: known.get(alias.name) for alias in node.names}


def _keeps_signature(decorator: ast.expr) -> bool:
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(target, ast.Attribute) and target.attr in _KEEPS_SIGNATURE


def _module_beside(node: ast.ImportFrom, *, path: Path, folder: Path, visited: frozenset[Path]) -> Outline | None:
    if node.level > 1 or not node.module:
        return None
    module = (path.parent if node.level else folder).joinpath(*node.module.split("."))
    for candidate in (module / "__init__.py", module.with_suffix(".py")):
        if candidate.is_file() and candidate not in visited:
            try:
                tree = _parse(candidate)
            except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
                return None
            return _outline(tree, path=candidate, folder=folder, visited=visited | {candidate})
    return None
