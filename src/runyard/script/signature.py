"""What a function takes, known from its syntax tree or from the function itself."""

import ast
import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Signature:
    """The parameters of a function in the user's script, and where it stands.

    Args:
        line: 0 where it is not known.
        names: every parameter that can be given by name, in order.
        required: those without a default.
        positional: those that can be given by position, in order.
        takes_any: whether it has `**kwargs`.
        takes_more: whether it has `*args`.
    """

    function: str
    file: str
    line: int
    names: tuple[str, ...]
    required: frozenset[str]
    positional: tuple[str, ...]
    takes_any: bool
    takes_more: bool

    @property
    def place(self) -> str:
        return f"{self.function} ({self.file}:{self.line})" if self.line else self.function


def signature_in_tree(node: ast.FunctionDef | ast.AsyncFunctionDef, *, file: str) -> Signature:
    arguments = node.args
    positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    optional = set(positional[len(positional) - len(arguments.defaults) :])
    keyword_only = [argument.arg for argument in arguments.kwonlyargs]
    optional |= {name for name, default in zip(keyword_only, arguments.kw_defaults, strict=True) if default is not None}
    return Signature(
        function=node.name,
        file=file,
        line=node.lineno,
        names=(*(argument.arg for argument in arguments.args), *keyword_only),
        required=frozenset({*positional, *keyword_only}) - optional,
        positional=tuple(positional),
        takes_any=arguments.kwarg is not None,
        takes_more=arguments.vararg is not None,
    )


def signature_of(function: Callable[..., object], *, name: str) -> Signature | None:
    """The signature of a live function, or None where Python itself does not know it."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    kinds = inspect.Parameter
    named = [p for p in parameters if p.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY)]
    fixed = [p for p in parameters if p.kind not in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)]
    code = getattr(_written(function), "__code__", None)
    return Signature(
        function=name,
        file=code.co_filename if code else "",
        line=code.co_firstlineno if code else 0,
        names=tuple(p.name for p in named),
        required=frozenset(p.name for p in fixed if p.default is kinds.empty),
        positional=tuple(p.name for p in fixed if p.kind is not kinds.KEYWORD_ONLY),
        takes_any=any(p.kind is kinds.VAR_KEYWORD for p in parameters),
        takes_more=any(p.kind is kinds.VAR_POSITIONAL for p in parameters),
    )


def _written(function: Callable[..., object]) -> object:
    """The function that the user wrote, below decorators and `functools.partial`; of a class, its `__init__`."""
    while isinstance(function, functools.partial):
        function = function.func
    return function.__init__ if inspect.isclass(function) else inspect.unwrap(function)
