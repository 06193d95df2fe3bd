"""A file of source as Python 3 runs it, with what was changed for that."""

import ast
import io
import tokenize
from dataclasses import dataclass

from runyard.legacy.python2.bindings import bound_names, divides_truly, is_bilingual
from runyard.legacy.python2.grammar import rewrite
from runyard.legacy.python2.leftovers import Leftover
from runyard.legacy.python2.names import HELPER, Names, renamed_from
from runyard.legacy.python2.unpacking import Unpacked
from runyard.legacy.python2.values import CodePoints, Values


@dataclass(frozen=True)
class Conversion:
    """A file that was read.

    Attributes:
        tree: its syntax tree, in which every node has the line that it has in the file.
        leftovers: what was Python 2; empty for a file that Python 3 takes as it is.
    """

    tree: ast.Module
    leftovers: tuple[Leftover, ...]


def text_of(source: bytes) -> str:
    """The text of a file: in the encoding that it names, or else UTF-8.

    Raises:
        SyntaxError: if it is in neither.
    """
    encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    try:
        text = source.decode(encoding)
    except UnicodeDecodeError as error:
        raise SyntaxError(f"(unicode error) {error}") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def convert(source: bytes, *, file: str) -> Conversion:
    """Reads a file and converts what is Python 2 in it.

    Raises:
        SyntaxError: if it is neither Python 3 nor a Python 2 that can be converted: the first thing that cannot.
        ValueError: if it is no text.
    """
    text = text_of(source)
    tree, leftovers = _parsed(text, file=file)
    bound = bound_names(tree)
    if is_bilingual(tree) and not leftovers:
        return Conversion(tree, ())
    names = Names(bound)
    leftovers += renamed_from(tree)
    tree = names.visit(tree)
    leftovers += names.found
    if leftovers:
        values = Values(bound, made=names.made, divides_truly=divides_truly(tree))
        tree = values.visit(tree)
        leftovers += values.found
    code_points = CodePoints(bound)
    tree = code_points.visit(tree)
    if leftovers or code_points.any:
        _import_helper(tree)
    return Conversion(tree, tuple(sorted(leftovers)))


def _parsed(text: str, *, file: str) -> tuple[ast.Module, list[Leftover]]:
    try:
        tree = ast.parse(text, filename=file)
    except SyntaxError as error:
        return _parsed_as_python_2(text, file=file, error=error)
    rewritten = rewrite(text, parses=True)
    try:
        return (ast.parse(rewritten.text, filename=file) if rewritten.leftovers else tree), rewritten.leftovers
    except SyntaxError:
        return tree, []


def _parsed_as_python_2(text: str, *, file: str, error: SyntaxError) -> tuple[ast.Module, list[Leftover]]:
    rewritten = rewrite(text, parses=False)
    leftovers = rewritten.leftovers
    try:
        tree = ast.parse(rewritten.text, filename=file)
    except TabError:
        tree = ast.parse(_without_tabs(rewritten.text), filename=file)
        leftovers = [*leftovers, Leftover(error.lineno or 1, "tabs")]
    except SyntaxError as left:
        raise (left if leftovers else error) from None
    return Unpacked(rewritten.targets).visit(tree), leftovers


def _without_tabs(text: str) -> str:
    """Python 2 took a tab for blanks up to the next eighth column."""
    lines = (line if line.lstrip(" \t") == line else _expanded(line) for line in text.split("\n"))
    return "\n".join(lines)


def _expanded(line: str) -> str:
    code = line.lstrip(" \t")
    return line[: len(line) - len(code)].expandtabs(8) + code


def _import_helper(tree: ast.Module) -> None:
    statement = ast.ImportFrom("runyard.legacy.python2", [ast.alias("runtime", HELPER)], 0)
    place = 0
    for index, node in enumerate(tree.body):
        documents = index == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if documents or (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            place = index + 1
    first = tree.body[place] if place < len(tree.body) else tree.body[-1]
    tree.body.insert(place, ast.fix_missing_locations(ast.copy_location(statement, first)))
