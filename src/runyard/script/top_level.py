"""The statements of a syntax tree that run when a script is loaded, and the names they give."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

_UNSEEN = frozenset({"exec", "globals"})
_OWN_NAMES = (ast.stmt, ast.ExceptHandler, ast.match_case, ast.comprehension, ast.Lambda)
"""Inner statements are looked at on their own; comprehensions and lambdas keep their names for themselves."""


@dataclass(frozen=True)
class Statement:
    """A statement, and whether it may not be run, or not be the last to define its names."""

    node: ast.stmt
    conditional: bool


def top_level(body: list[ast.stmt], *, conditional: bool = False) -> Iterator[Statement]:
    """Statements that run when the script is loaded, also within `if`, `try`, `with`, `match` and loops."""
    for node in body:
        yield Statement(node, conditional)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for block in _blocks(node):
            yield from top_level(block, conditional=conditional or not isinstance(node, ast.With))


def assigned_names(node: ast.stmt) -> Iterator[str]:
    """Names that a statement binds itself: by assignment, as the target of a loop or `with`, or with `:=`."""
    if isinstance(node, ast.AnnAssign) and node.value is None:
        return
    pending: list[ast.AST] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id
        pending += [child for child in ast.iter_child_nodes(part) if not isinstance(child, _OWN_NAMES)]


def declared_global(tree: ast.Module) -> Iterator[str]:
    """Names that functions declare as global: they may be defined when the function has run."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield from node.names


def defines_unseen_names(tree: ast.Module) -> bool:
    """Whether the script may define names in a way that its tree does not show."""
    return any(
        (isinstance(node, ast.Name) and node.id in _UNSEEN)
        or (isinstance(node, ast.FunctionDef) and node.name == "__getattr__" and node in tree.body)
        for node in ast.walk(tree)
    )


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks within a statement. What is only run by `python script.py` is not run when a script is loaded."""
    if not (isinstance(node, ast.If) and _asks_for_main(node.test)):
        yield getattr(node, "body", [])
    yield getattr(node, "orelse", [])
    yield getattr(node, "finalbody", [])
    for part in (*getattr(node, "handlers", []), *getattr(node, "cases", [])):
        yield part.body


def _asks_for_main(test: ast.expr) -> bool:
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return False
    return {"__name__", "'__main__'"} == {ast.unparse(side) for side in (test.left, *test.comparators)}
