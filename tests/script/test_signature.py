import ast
import functools
from collections.abc import Callable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from runyard.script.signature import Signature, signature_in_tree, signature_of


def in_tree(source: str) -> Signature:
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    return signature_in_tree(node, file="train.py")


def live(source: str) -> Signature:
    namespace: dict[str, Callable[..., object]] = {}
    exec(compile(source, "train.py", "exec"), namespace)
    signature = signature_of(namespace["f"], name="f")
    assert signature is not None
    return signature


@st.composite
def parameter_lists(draw: st.DrawFn) -> str:
    """Every shape that Python allows: defaults only before parameters that have one, too."""
    counts = [draw(st.integers(0, 3)) for _ in range(3)]
    positional_only, plain, keyword_only = counts
    first_default = draw(st.integers(0, positional_only + plain))
    before = [f"p{i}" + ("=0" if i >= first_default else "") for i in range(positional_only + plain)]
    if positional_only:
        before.insert(positional_only, "/")
    star = draw(st.sampled_from(["", "*args"]))
    if keyword_only and not star:
        star = "*"
    after = [f"k{i}" + draw(st.sampled_from(["", "=None"])) for i in range(keyword_only)]
    double_star = draw(st.sampled_from(["", "**kwargs"]))
    return ", ".join(part for part in (*before, star, *after, double_star) if part)


@given(parameter_lists(), st.sampled_from(["def", "async def"]))
def test_the_tree_and_the_function_say_the_same(parameters: str, keyword: str):
    source = f"\n\n{keyword} f({parameters}): pass"
    assert in_tree(source) == live(source)


def test_what_each_kind_of_parameter_means():
    assert in_tree("def f(a, /, b, c=1, *args, d, e=2, **kwargs): pass") == Signature(
        function="f",
        file="train.py",
        line=1,
        names=("b", "c", "d", "e"),
        required=frozenset("abd"),
        positional=("a", "b", "c"),
        takes_any=True,
        takes_more=True,
    )


def test_a_decorator_that_keeps_the_function_keeps_its_place():
    plain = live("\ndef f(a): pass")
    wrapped = live(
        "\ndef g(a): pass\nimport functools\n@functools.wraps(g)\ndef f(*args, **kwargs): return g(*args, **kwargs)"
    )
    assert wrapped == plain


def test_a_partial_function_is_where_the_function_is():
    def written(a: int, b: int) -> None: ...

    whole = signature_of(written, name="f")
    rest = signature_of(functools.partial(written, 1), name="f")
    assert whole is not None
    assert rest == replace(whole, names=("b",), required=frozenset("b"), positional=("b",))


def test_a_class_takes_what_its_constructor_takes():
    signature = live("class f:\n    def __init__(self, margin): pass")
    assert signature.names == ("margin",)
    assert signature.place == "f (train.py:2)"


def test_a_place_that_is_not_known_is_left_out():
    class Callable:
        def __call__(self, a: int) -> None: ...

    signature = signature_of(Callable(), name="f")
    assert signature is not None
    assert signature.place == "f"


def test_functions_that_python_knows_nothing_about_have_no_signature():
    assert signature_of(dict, name="f") is None
