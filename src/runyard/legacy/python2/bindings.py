"""Which names a module gives a meaning of its own, and whether it was written for both Pythons."""

import ast


def bound_names(tree: ast.Module) -> frozenset[str]:
    """Every name that is assigned, imported, defined or a parameter anywhere in the module."""
    return frozenset(name for node in ast.walk(tree) for name in _bound_by(node))


def _bound_by(node: ast.AST) -> list[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.arg(arg=name):
            return [name]
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return [alias.asname or alias.name.split(".")[0] for alias in names]
        case _:
            return []


def is_bilingual(tree: ast.Module) -> bool:
    """Whether a module asks which Python runs it: then it knows what it does, and nothing is converted."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr="version_info" | "PY2" | "PY3") | ast.Name(id="PY2" | "PY3"):
                return True
            case ast.Import(names=names) if any(alias.name.split(".")[0] in ("six", "future") for alias in names):
                return True
            case ast.ImportFrom(module=str(module)) if module.split(".")[0] in ("six", "future", "builtins"):
                return True
            case _:
                pass
    return False


def divides_truly(tree: ast.Module) -> bool:
    """Whether the module has `from __future__ import division`."""
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "division" for alias in node.names)
        for node in tree.body
    )
