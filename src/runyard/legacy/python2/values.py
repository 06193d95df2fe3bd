"""Where the same code means something else in Python 2: division of integers, lists, special methods."""

import ast
from collections.abc import Set

from runyard.legacy.python2.leftovers import Leftover
from runyard.legacy.python2.names import helper
from runyard.legacy.python2.vocabulary import LIST_METHODS, LISTS, SPECIAL_METHODS, TAKES_ANY_ITERABLE

_DIVISION = "/ of integers"
_LIST = "lists from map, zip, range, keys"


class Values(ast.NodeTransformer):
    """For files that are Python 2; elsewhere the same code is meant as Python 3 takes it.

    Args:
        bound: names that the module defines itself.
        made: nodes that stand for what gave no list in Python 2 either.
        divides_truly: the module asked for Python 3's division.
    """

    def __init__(self, bound: frozenset[str], *, made: Set[int], divides_truly: bool) -> None:
        self.found: list[Leftover] = []
        self._bound = bound
        self._made = made
        self._divides_truly = divides_truly
        self._lists_do_not_matter: set[int] = set()

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div) or self._divides_truly or _is_float(node.left) or _is_float(node.right):
            return node
        return self._replaced(node, _DIVISION, helper("divide", node.left, node.right))

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.generic_visit(node)
        can_be_read_twice = not any(isinstance(part, ast.Call) for part in ast.walk(node.target))
        if not isinstance(node.op, ast.Div) or self._divides_truly or _is_float(node.value) or not can_be_read_twice:
            return node
        self.found.append(Leftover(node.lineno, _DIVISION))
        read = ast.parse(ast.unparse(node.target), mode="eval").body
        new = ast.Assign([node.target], helper("divide_in_place", read, node.value))
        return ast.fix_missing_locations(ast.copy_location(new, node))

    def visit_For(self, node: ast.For) -> ast.stmt:
        self._lists_do_not_matter.add(id(node.iter))
        self.generic_visit(node)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self._lists_do_not_matter.add(id(node.iter))
        self.generic_visit(node)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self._lists_do_not_matter |= {
            id(right) for kind, right in zip(node.ops, node.comparators, strict=True) if isinstance(kind, ast.In)
        }
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Name) and node.func.id in TAKES_ANY_ITERABLE:
            self._lists_do_not_matter |= {id(argument) for argument in node.args}
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr="next"), args=[], keywords=[]):
                return self._replaced(node, ".next()", helper("next_of", owner))
            case _ if id(node) not in self._lists_do_not_matter and self._gave_list(node):
                return self._replaced(node, _LIST, ast.Call(ast.Name("list", ast.Load()), [node], []))
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        self.generic_visit(node)
        methods = {part.name: part for part in node.body if isinstance(part, ast.FunctionDef)}
        for old, new in SPECIAL_METHODS.items():
            if old in methods and new not in methods and (old != "next" or "__iter__" in methods):
                self.found.append(Leftover(methods[old].lineno, f"def {old}"))
                alias = ast.Assign([ast.Name(new, ast.Store())], ast.Name(old, ast.Load()))
                node.body.append(ast.fix_missing_locations(ast.copy_location(alias, methods[old])))
        return node

    def _gave_list(self, node: ast.Call) -> bool:
        match node.func:
            case ast.Name(id=name) if id(node.func) not in self._made:
                return name in LISTS | {"range"} and name not in self._bound
            case ast.Attribute(attr=method):
                return method in LIST_METHODS and not node.args and not node.keywords
            case _:
                return False

    def _replaced(self, old: ast.expr, what: str, new: ast.expr) -> ast.expr:
        self.found.append(Leftover(old.lineno, what))
        return ast.fix_missing_locations(ast.copy_location(new, old))


class CodePoints(ast.NodeTransformer):
    """`ord` of what may be a byte. Told when it happens: with strings it is as good in Python 3."""

    def __init__(self, bound: frozenset[str]) -> None:
        self.any = False
        self._bound = bound

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="ord"), args=[value], keywords=[]) if "ord" not in self._bound:
                self.any = True
                return ast.fix_missing_locations(ast.copy_location(helper("code_point", value), node))
            case _:
                return node


def _is_float(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=float()):
            return True
        case ast.Call(func=ast.Name(id="float")):
            return True
        case _:
            return False
