import os
from pathlib import Path

import pytest

from runyard.config import Problem
from runyard.script import outline_script

from .conftest import Write


def refusal(path: Path) -> Problem:
    outline = outline_script(path)
    assert not outline.names
    assert outline.factories is None
    (problem,) = outline.problems
    assert problem.source == str(path)
    return problem


def test_a_plain_function_is_known_with_its_parameters_and_its_line(write: Write):
    path = write("train.py", "import os\n\ndef awf_create_model_fn(size, *, name='m'):\n    pass\n")
    outline = outline_script(path)
    signature = outline.names["awf_create_model_fn"]
    assert signature is not None
    assert signature.names == ("size", "name")
    assert signature.required == {"size"}
    assert signature.place == f"awf_create_model_fn ({path}:3)"
    assert outline.factories == {"os", "awf_create_model_fn"}


def test_an_async_function_is_known_with_its_parameters(write: Write):
    signature = outline_script(write("train.py", "async def f(a): pass")).names["f"]
    assert signature is not None and signature.names == ("a",)


@pytest.mark.parametrize("decorator", ["tf.function", "tf.function(jit_compile=True)", "ag.do_not_convert"])
def test_tensorflows_decorators_keep_the_parameters(write: Write, decorator: str):
    signature = outline_script(write("train.py", f"@{decorator}\ndef f(a): pass")).names["f"]
    assert signature is not None and signature.names == ("a",)


@pytest.mark.parametrize(
    "source",
    [
        "@wrapped\ndef f(a): pass",
        "@tf.function\n@wrapped\ndef f(a): pass",
        "f = lambda a: a",
        "f: object = make()",
        "def g(a): pass\nf = g",
        "(e, [f, *g]) = make()",
        "class f: pass",
        "import f",
        "import f.g",
        "import g.h as f",
        "from math import sin as f",
        "with make() as f: pass",
        "for f in (1, 2): pass",
        "while (f := make()): pass",
        "def g():\n    global f\n    f = 1",
        "def f(a): pass\nf = wrapped(f)",
    ],
)
def test_a_name_can_be_known_without_its_parameters(write: Write, source: str):
    outline = outline_script(write("train.py", source))
    assert outline.names["f"] is None
    assert outline.complete


@pytest.mark.parametrize(
    "source",
    [
        "if x:\n    def f(a): pass",
        "if x:\n    pass\nelse:\n    def f(a): pass",
        "try:\n    import x\nexcept ImportError:\n    def f(a): pass",
        "try:\n    pass\nfinally:\n    def f(a): pass",
        "with x:\n    def f(a): pass",
        "match x:\n    case 1:\n        def f(a): pass",
        "for x in y:\n    def f(a): pass",
        "if x:\n    def f(b): pass\ndef f(a): pass",
        "def f(b): pass\ndef f(a): pass",
    ],
)
def test_definitions_within_statements_count(write: Write, source: str):
    signature = outline_script(write("train.py", source)).names["f"]
    assert signature is not None and signature.names == ("a",)


@pytest.mark.parametrize(
    "source",
    [
        "if x:\n    def f(a): pass\nelse:\n    def f(b): pass",
        "def f(a): pass\nif x:\n    def f(b): pass",
        "try:\n    from math import f\nexcept ImportError:\n    def f(b): pass",
    ],
)
def test_of_two_definitions_that_depend_on_a_condition_nothing_is_said(write: Write, source: str):
    assert outline_script(write("train.py", source)).names["f"] is None


@pytest.mark.parametrize(
    "source",
    [
        "def g():\n    def f(): pass",
        "class G:\n    def f(): pass",
        "f: int",
        "x = [f for f in ()]",
        "x = lambda f: f",
        "if __name__ == '__main__':\n    def f(): pass",
        "if '__main__' == __name__:\n    f = 1",
        "g.f = 1",
    ],
)
def test_inner_names_are_not_the_scripts(write: Write, source: str):
    assert "f" not in outline_script(write("train.py", source)).names


@pytest.mark.parametrize("later", ["f.cached = True", "x = [f for f in ()]", "table[f] = 1"])
def test_using_a_function_does_not_make_it_another_one(write: Write, later: str):
    assert outline_script(write("train.py", f"def f(a): pass\n{later}")).names["f"] is not None


def test_the_other_side_of_a_main_guard_is_run(write: Write):
    source = "if __name__ == '__main__':\n    pass\nelse:\n    def f(): pass"
    assert "f" in outline_script(write("train.py", source)).names


@pytest.mark.parametrize(
    "source",
    ["globals()['f'] = 1", "exec('f = 1')", "def __getattr__(name): return 1", "from os.path import *"],
)
def test_a_script_may_define_what_cannot_be_seen(write: Write, source: str):
    outline = outline_script(write("train.py", source))
    assert not outline.complete
    assert outline.factories is None


class TestModulesBeside:
    def test_an_imported_function_is_known_where_it_is_written(self, write: Write):
        helpers = write("helpers.py", "\ndef make(a): pass\n")
        outline = outline_script(write("train.py", "from helpers import make as awf_create_model_fn"))
        signature = outline.names["awf_create_model_fn"]
        assert signature is not None
        assert signature.place == f"make ({helpers}:2)"

    def test_a_package_wins_over_a_module_as_in_python(self, write: Write):
        write("helpers.py", "def f(a): pass")
        write("helpers/__init__.py", "from .inner import f")
        write("helpers/inner.py", "from common import g as f")
        write("common.py", "def g(b): pass")
        signature = outline_script(write("train.py", "from helpers import f")).names["f"]
        assert signature is not None and signature.names == ("b",)

    def test_a_star_import_brings_the_public_names(self, write: Write):
        write("helpers.py", "def f(a): pass\ndef _g(a): pass")
        outline = outline_script(write("train.py", "from helpers import *"))
        assert outline.factories == {"f"}

    def test_a_star_import_is_as_complete_as_its_module(self, write: Write):
        write("helpers.py", "from numpy import *")
        assert not outline_script(write("train.py", "from helpers import *")).complete

    def test_modules_that_import_each_other_come_to_an_end(self, write: Write):
        write("helpers.py", "from train import g\ndef f(a): pass")
        outline = outline_script(write("train.py", "from helpers import f\ndef g(): pass"))
        assert outline.names["f"] is not None

    def test_a_broken_module_is_not_looked_into(self, write: Write):
        write("helpers.py", "def f(:")
        outline = outline_script(write("train.py", "from helpers import f"))
        assert outline.names == {"f": None}

    def test_modules_are_beside_the_file_that_a_link_points_to(self, write: Write, tmp_path: Path):
        write("real/helpers.py", "def f(a): pass")
        real = write("real/train.py", "from helpers import f")
        (tmp_path / "link.py").symlink_to(real)
        assert outline_script(tmp_path / "link.py").names["f"] is not None


class TestUnreadable:
    def test_a_syntax_error_has_its_line_and_text(self, write: Write):
        problem = refusal(write("train.py", "import os\ndef f(:\n    pass\n"))
        assert problem.line == 2
        assert problem.received == "def f(:"
        assert problem.message.startswith("syntax error")

    def test_errors_that_only_compiling_finds_are_found(self, write: Write):
        problem = refusal(write("train.py", "x = 1\nreturn x\n"))
        assert (problem.line, problem.message) == (2, "syntax error: 'return' outside function")

    def test_text_that_is_not_utf8_is_said_so(self, tmp_path: Path):
        path = tmp_path / "train.py"
        path.write_bytes(b'x = 1\ny = "\xe9"\n')
        problem = refusal(path)
        assert problem.line == 2
        assert "UTF-8" in problem.message

    def test_another_encoding_may_be_declared(self, tmp_path: Path):
        path = tmp_path / "train.py"
        path.write_bytes('# coding: gbk\nname = "模型"\n'.encode("gbk"))
        assert outline_script(path).factories == {"name"}

    def test_a_byte_order_mark_is_accepted(self, tmp_path: Path):
        path = tmp_path / "train.py"
        path.write_bytes(b"\xef\xbb\xbfx = 1\n")
        assert outline_script(path).factories == {"x"}

    @pytest.mark.parametrize("content", [b"a\0b", b"# coding: klingon\n"])
    def test_what_is_no_text_is_no_script(self, tmp_path: Path, content: bytes):
        path = tmp_path / "train.py"
        path.write_bytes(content)
        assert refusal(path).line is None

    def test_an_empty_script_defines_nothing(self, write: Write):
        outline = outline_script(write("train.py", ""))
        assert outline.factories == frozenset()
        assert not outline.problems

    def test_a_missing_script_is_said_to_be_missing(self, tmp_path: Path):
        assert refusal(tmp_path / "train.py").message == "there is no such script"

    def test_a_path_that_cannot_be_is_missing(self):
        assert refusal(Path("a\0b.py")).message == "there is no such script"

    def test_a_directory_is_no_script(self, tmp_path: Path):
        assert refusal(tmp_path).message == "this is a directory, not a script"

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_a_script_that_may_not_be_read_is_refused(self, write: Write):
        path = write("train.py", "")
        path.chmod(0)
        assert "Permission denied" in refusal(path).message
