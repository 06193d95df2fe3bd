"""Names that Python 2 unpacked on the way: `def f(a, (b, c))`, `lambda (a, b): a`, `except X, (number, text)`.

The text gets a plain name in their place, so that it can be parsed; the syntax tree then unpacks that name.
"""

import ast
from collections.abc import Iterator

from runyard.legacy.python2.leftovers import Leftover
from runyard.legacy.python2.lexer import Piece, Statement
from runyard.legacy.python2.names import HELPER, helper

_CLOSING = {"(": ")", "[": "]", "{": "}"}


class Unpacking:
    """Remembers which plain name stands for which targets."""

    def __init__(self) -> None:
        self.targets: dict[str, str] = {}

    def parameters(self, pieces: list[Piece]) -> Iterator[Leftover]:
        """Puts a name in the place of every tuple among the parameters of functions and lambdas."""
        parts = [piece for piece in pieces if piece.matters]
        for index, piece in enumerate(parts):
            if piece.kind != "name":
                continue
            if piece.text == "def" and index + 2 < len(parts) and parts[index + 2].text == "(":
                yield from self._tuples(parts, first=index + 3, end=")", what="def f((a, b))")
            elif piece.text == "lambda":
                yield from self._tuples(parts, first=index + 1, end=":", what="lambda (a, b)")

    def exception(self, statement: Statement) -> str | None:
        """`except X, target`. The target outlives the clause, as in Python 2."""
        commas = statement.at_top(",") if statement.first() == "except" else []
        if not commas:
            return None
        pieces = statement.pieces
        end = statement.at_top(":")
        target = pieces[commas[0] + 1 : end[-1] if end else None]
        if not _can_be_assigned(target):
            return None
        is_name = len(target) == 1
        pieces[commas[0]].text = " as "
        self._replace(target)
        return "except X, e" if is_name else "except X, (a, b)"

    def _tuples(self, parts: list[Piece], *, first: int, end: str, what: str) -> Iterator[Leftover]:
        depth, begins = 0, True
        index = first
        while index < len(parts) and not (depth == 0 and parts[index].text == end):
            piece = parts[index]
            if piece.kind == "operator" and piece.text in _CLOSING:
                if depth == 0 and begins and piece.text == "(":
                    last = _matching(parts, index)
                    if _can_be_assigned(parts[index : last + 1]):
                        yield Leftover(piece.line, what)
                        self._replace(parts[index : last + 1])
                    index = last
                else:
                    depth += 1
            elif piece.kind == "operator" and piece.text in _CLOSING.values():
                depth -= 1
            begins = depth == 0 and piece.text == ","
            index += 1

    def _replace(self, target: list[Piece]) -> None:
        name = f"{HELPER}_{len(self.targets)}"
        self.targets[name] = _text(target)
        for piece in target:
            piece.text = ""
        target[0].text = name


def _text(target: list[Piece]) -> str:
    return " ".join(piece.text for piece in target)


def _assignment(target: str) -> ast.Assign:
    """Raises SyntaxError if nothing can be assigned to it."""
    (statement,) = ast.parse(f"{target} = 0").body
    assert isinstance(statement, ast.Assign)
    return statement


def _can_be_assigned(target: list[Piece]) -> bool:
    """What is a mistake stays as it is: Python points at it."""
    try:
        return len(_assignment(_text(target)).targets) == 1
    except (SyntaxError, ValueError):
        return False


def _matching(parts: list[Piece], first: int) -> int:
    depth = 0
    for index in range(first, len(parts)):
        if parts[index].kind == "operator":
            depth += (parts[index].text in _CLOSING) - (parts[index].text in _CLOSING.values())
        if depth == 0:
            return index
    return len(parts) - 1


class Unpacked(ast.NodeTransformer):
    """Unpacks the plain names, where the function or the clause begins."""

    def __init__(self, targets: dict[str, str]) -> None:
        self._targets = targets

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        unpacked = [self._unpack(name, ast.Name(name, ast.Load()), at=node) for name in self._names(node.args)]
        documented = ast.get_docstring(node, clean=False) is not None
        node.body[documented:documented] = unpacked
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        """`[body for (a, b) in [name]][0]`: an expression that unpacks."""
        self.generic_visit(node)
        for name in reversed(self._names(node.args)):
            once = ast.comprehension(self._target(name), ast.List([ast.Name(name, ast.Load())], ast.Load()), [], 0)
            body = ast.Subscript(ast.ListComp(node.body, [once]), ast.Constant(0), ast.Load())
            node.body = ast.fix_missing_locations(ast.copy_location(body, node.body))
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        self.generic_visit(node)
        if node.name in self._targets:
            caught: ast.expr = ast.Name(node.name, ast.Load())
            if isinstance(self._target(node.name), ast.Tuple | ast.List):
                caught = helper("arguments_of", caught)
            node.body.insert(0, self._unpack(node.name, caught, at=node))
        return node

    def _names(self, arguments: ast.arguments) -> list[str]:
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        return [each.arg for each in every if each.arg in self._targets]

    def _target(self, name: str) -> ast.expr:
        return _assignment(self._targets[name]).targets[0]

    def _unpack(self, name: str, value: ast.expr, *, at: ast.stmt | ast.ExceptHandler) -> ast.stmt:
        made = ast.Assign([self._target(name)], value)
        for node in ast.walk(made):
            ast.copy_location(node, at)
        return ast.fix_missing_locations(made)
