import textwrap
from pathlib import Path

import pytest

from runyard.errors import CallbackFailed
from runyard.script import call, load_script
from runyard.script.contract import CREATE_MODEL
from runyard.script.failures import callback_failure

from .conftest import Write


def failure(path: Path) -> CallbackFailed:
    script = load_script(path)
    with pytest.raises(CallbackFailed) as caught:
        call(script, CREATE_MODEL)
    return caught.value


def shown(write: Write, body: str, *, before: str = "") -> list[str]:
    """The traceback of a callback with this body, with `script` for its path."""
    path = write("train.py", f"{before}def awf_create_model_fn():\n{textwrap.indent(textwrap.dedent(body), '    ')}\n")
    return failure(path).user_traceback.replace(str(path), "script").splitlines()


def test_one_line_says_what_runyard_was_doing_then_comes_the_users_traceback(write: Write):
    path = write("train.py", "def awf_create_model_fn():\n    return 1 / 0\n")
    assert str(failure(path)).splitlines() == [
        "The script failed while Runyard was calling awf_create_model_fn.",
        "",
        "Traceback (most recent call last):",
        f'  File "{path}", line 2, in awf_create_model_fn',
        "    return 1 / 0",
        "           ~~^~~",
        "ZeroDivisionError: division by zero",
    ]


def test_the_exception_itself_is_kept_for_programs(write: Write):
    path = write("train.py", "def awf_create_model_fn(): return 1 / 0")
    assert isinstance(failure(path).__cause__, ZeroDivisionError)


def test_frames_inside_libraries_are_folded_to_the_last(write: Write):
    lines = shown(write, "import json\njson.loads('{')")
    files = [line.split('"')[1].rsplit("/", 1)[-1] for line in lines if line.startswith("  File")]
    assert files == ["script", "decoder.py"]
    assert "  ... 2 frames inside libraries ..." in lines


def test_one_library_frame_needs_no_folding(write: Write):
    lines = shown(write, "import re\nre.template_that_is_not_there")
    assert not [line for line in lines if "inside libraries" in line]


def test_code_that_a_library_calls_is_the_users_again(write: Write):
    body = """
        import functools
        def inner(a, b): raise ValueError("inner")
        def keys(x): return functools.reduce(inner, [1, 2])
        import concurrent.futures.thread
        return concurrent.futures.ThreadPoolExecutor(1).submit(keys, 1).result()
        """
    lines = shown(write, body)
    assert [line.rsplit(" ", 1)[-1] for line in lines if line.startswith('  File "script"')] == [
        "awf_create_model_fn",
        "keys",
        "inner",
    ]
    assert lines[-1] == "ValueError: inner"


def test_a_failure_inside_a_module_beside_the_script(write: Write):
    helpers = write("deep/helpers.py", "def make():\n    raise KeyError('size')\n")
    lines = shown(write, "return make()", before="from deep.helpers import make\n")
    assert f'  File "{helpers}", line 2, in make' in lines
    assert lines[-1] == "KeyError: 'size'"


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("raise RuntimeError('outer') from error", "direct cause"),
        ("raise RuntimeError('outer')", "During handling"),
    ],
)
def test_what_led_to_an_exception_is_shown_before_it(write: Write, statement: str, sentence: str):
    lines = shown(write, f"try:\n    return 1 / 0\nexcept ZeroDivisionError as error:\n    {statement}")
    text = "\n".join(lines)
    assert text.index("ZeroDivisionError: division by zero") < text.index(sentence) < text.index("RuntimeError: outer")
    assert text.count('File "script"') == 2
    assert "runyard/script" not in text


def test_what_is_hidden_on_purpose_stays_hidden(write: Write):
    body = "try:\n    return 1 / 0\nexcept ZeroDivisionError:\n    raise RuntimeError('outer') from None"
    assert "ZeroDivisionError" not in "\n".join(shown(write, body))


def test_exceptions_that_led_to_each_other_come_to_an_end(write: Write):
    body = "a, b = ValueError('a'), ValueError('b')\na.__cause__, b.__cause__ = b, a\nraise a"
    assert shown(write, body)[-1] == "ValueError: a"


def test_a_group_shows_each_of_its_exceptions(write: Write):
    text = "\n".join(shown(write, "raise ExceptionGroup('several', [ValueError('one'), KeyError('two')])"))
    assert "ValueError: one" in text and "KeyError: 'two'" in text


def test_notes_are_shown(write: Write):
    assert shown(write, "error = ValueError('x')\nerror.add_note('look here')\nraise error")[-1] == "look here"


def test_an_exception_that_cannot_be_printed_is_still_reported(write: Write):
    before = "class Odd(Exception):\n    def __str__(self): raise ValueError\n"
    assert "Odd" in shown(write, "raise Odd", before=before)[-1]


def test_endless_recursion_is_short(write: Write):
    lines = shown(write, "return awf_create_model_fn()")
    assert len(lines) < 20
    assert lines[-1].startswith("RecursionError")


def test_a_call_that_never_reached_the_users_code_has_no_traceback(write: Write):
    before = "import functools\n"
    path = write(
        "train.py",
        before
        + "def awf_create_model_fn(x): pass\nawf_create_model_fn.__signature__ = __import__('inspect').Signature()",
    )
    text = failure(path).user_traceback
    assert text == "TypeError: awf_create_model_fn() missing 1 required positional argument: 'x'"


def test_runyards_own_frames_are_not_the_users_even_within_their_folder():
    folder = Path(__file__).parents[2]
    try:
        load_script(folder / "nothing.py")
    except Exception as error:
        text = callback_failure(error, doing="testing", folder=folder).user_traceback
    assert 'tests/script/test_failures.py"' in text
    assert text.count("File") == 2
