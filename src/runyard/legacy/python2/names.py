"""Names, methods and modules of Python 2 in a syntax tree, replaced by those of Python 3."""

import ast
from collections.abc import Sequence

from runyard.legacy.python2.leftovers import Leftover
from runyard.legacy.python2.vocabulary import (
    BUILT_IN_NOW,
    HELPED_NAMES,
    METHODS,
    MODULES,
    RENAMED_ATTRIBUTES,
    RENAMED_NAMES,
)

HELPER = "_runyard_python2"
"""What the module `runtime` is called in converted code."""


def helper(name: str, *arguments: ast.expr) -> ast.Call:
    """A call of a function of `runtime`."""
    function = ast.Attribute(ast.Name(HELPER, ast.Load()), name, ast.Load())
    return ast.Call(function, list(arguments), [])


class Names(ast.NodeTransformer):
    """Replaces what exists in Python 2 alone.

    Args:
        bound: names that the module defines itself; they are left alone.

    Attributes:
        made: the nodes that took the place of others; `range` for `xrange` is as lazy as that was.
    """

    def __init__(self, bound: frozenset[str]) -> None:
        self.found: list[Leftover] = []
        self.made: set[int] = set()
        self._bound = bound

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if not isinstance(node.ctx, ast.Load) or node.id in self._bound:
            return node
        if node.id in RENAMED_NAMES:
            return self._replaced(node, node.id, ast.Name(RENAMED_NAMES[node.id], ast.Load()))
        if node.id in HELPED_NAMES:
            return self._replaced(node, node.id, helper(HELPED_NAMES[node.id]).func)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.value, ast.Name):
            return node
        written = (node.value.id, node.attr)
        if written in RENAMED_ATTRIBUTES:
            module, attribute = RENAMED_ATTRIBUTES[written]
            new = ast.Attribute(ast.Name(module, ast.Load()), attribute, node.ctx)
            return self._replaced(node, ".".join(written), new)
        if written in BUILT_IN_NOW:
            return self._replaced(node, ".".join(written), ast.Name(BUILT_IN_NOW[written], ast.Load()))
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=method), args=arguments, keywords=[]) if METHODS.get(
                method
            ) == len(arguments):
                return self._replaced(node, f".{method}", helper(method, owner, *arguments))
            case ast.Call(func=ast.Attribute(value=ast.Name(id="sys"), attr="setdefaultencoding")):
                return self._replaced(node, "sys.setdefaultencoding", ast.Constant(None))
            case ast.Call(func=ast.Name(id="execfile"), args=[path]) if "execfile" not in self._bound:
                variables = ast.Call(ast.Name("globals", ast.Load()), [], [])
                return self._replaced(node, "execfile", helper("run_file", path, variables))
            case ast.Call(keywords=keywords):
                for keyword in keywords:
                    if keyword.arg == "cmp" and len(keywords) == 1 and _sorts(node.func):
                        keyword.arg = "key"
                        keyword.value = self._replaced(node, "cmp=", helper("cmp_to_key", keyword.value))
        return node

    def visit_Try(self, node: ast.Try) -> ast.Try:
        """An import that may fail is one that the program has an answer to."""
        kept = [statement for statement in node.body if isinstance(statement, ast.Import | ast.ImportFrom)]
        for field in (node.body, node.handlers, node.orelse, node.finalbody):
            for statement in list[ast.AST](field):
                if statement not in kept and not isinstance(statement, ast.Import | ast.ImportFrom):
                    self.visit(statement)
        return node

    def visit_Import(self, node: ast.Import) -> ast.Import:
        for alias in node.names:
            if alias.name in MODULES:
                alias.asname = alias.asname or alias.name
                self.found.append(Leftover(node.lineno, f"import {alias.name}"))
                alias.name = MODULES[alias.name]
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom | None:
        if node.module is not None and node.module in MODULES and not node.level:
            self.found.append(Leftover(node.lineno, f"import {node.module}"))
            node.module = MODULES[node.module]
        return node

    def _replaced(self, old: ast.expr, what: str, new: ast.expr) -> ast.expr:
        self.found.append(Leftover(old.lineno, what))
        self.made.add(id(new))
        return ast.fix_missing_locations(ast.copy_location(new, old))


def _sorts(function: ast.expr) -> bool:
    match function:
        case ast.Name(id="sorted") | ast.Attribute(attr="sort"):
            return True
        case _:
            return False


def renamed_from(tree: ast.Module) -> list[Leftover]:
    """`from itertools import izip`: the import becomes an assignment."""
    found: list[Leftover] = []
    for index, node in enumerate(tree.body):
        if not isinstance(node, ast.ImportFrom) or node.level:
            continue
        gone = [alias for alias in node.names if (node.module, alias.name) in BUILT_IN_NOW]
        if gone:
            found += [Leftover(node.lineno, f"{node.module}.{alias.name}") for alias in gone]
            tree.body[index : index + 1] = _assigned(node, gone)
    return found


def _assigned(node: ast.ImportFrom, gone: Sequence[ast.alias]) -> list[ast.stmt]:
    statements: list[ast.stmt] = []
    for alias in gone:
        value = ast.Name(BUILT_IN_NOW[node.module or "", alias.name], ast.Load())
        statements.append(ast.Assign([ast.Name(alias.asname or alias.name, ast.Store())], value))
    node.names = [alias for alias in node.names if alias not in gone]
    if node.names:
        statements.append(node)
    return [ast.fix_missing_locations(ast.copy_location(statement, node)) for statement in statements]
