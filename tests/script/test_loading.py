import sys
from pathlib import Path

import pytest

from runyard.errors import CallbackFailed, ScriptError
from runyard.script import load_script

from .conftest import Write


def failure(path: Path) -> str:
    with pytest.raises(CallbackFailed) as caught:
        load_script(path)
    message, empty, *rest = str(caught.value).splitlines()
    assert message == f"The script failed while Runyard was loading {path}."
    assert not empty
    return "\n".join(rest)


def test_functions_are_found_by_name(write: Write):
    script = load_script(write("train.py", "def awf_a(): pass\nawf_b = 1\ndef c(): pass\nc.d = 1"))
    assert script.function("awf_a") is not None
    assert script.function("c") is not None
    assert script.function("awf_b") is None
    assert script.function("nothing") is None


def test_a_missing_script_is_refused(tmp_path: Path):
    with pytest.raises(ScriptError, match=r"train\.py: there is no such script\n  hint: .*pack path"):
        load_script(tmp_path / "train.py")


def test_a_directory_is_refused(tmp_path: Path):
    with pytest.raises(ScriptError, match="this is a directory, not a script"):
        load_script(tmp_path)


def test_a_failing_top_level_shows_the_users_line_first(write: Write):
    path = write("train.py", "import os\n\n1 / 0  # here\n")
    shown = failure(path)
    assert shown.splitlines()[:3] == [
        "Traceback (most recent call last):",
        f'  File "{path}", line 3, in <module>',
        "    1 / 0  # here",
    ]
    assert shown.endswith("ZeroDivisionError: division by zero")


def test_leaving_at_the_top_level_is_a_failure(write: Write):
    path = write("train.py", "import sys\nsys.exit(0)\n")
    shown = failure(path)
    assert f'File "{path}", line 2' in shown
    assert shown.endswith("SystemExit: 0")


def test_a_syntax_error_shows_the_users_line_and_no_traceback_of_ours(write: Write):
    path = write("train.py", "import os\ndef f(:\n")
    assert failure(path).splitlines() == [
        f'  File "{path}", line 2',
        "    def f(:",
        "          ^",
        "SyntaxError: invalid syntax",
    ]


def test_a_syntax_error_in_a_module_beside_shows_both_places(write: Write):
    helpers = write("helpers.py", "def f(:\n")
    path = write("train.py", "\nimport helpers\n")
    shown = failure(path)
    assert f'File "{path}", line 2' in shown
    assert f'File "{helpers}", line 1' in shown


def test_ctrl_c_passes_through(write: Write):
    with pytest.raises(KeyboardInterrupt):
        load_script(write("train.py", "raise KeyboardInterrupt"))


def test_a_failed_load_leaves_no_module_behind(write: Write):
    write("helpers.py", "")
    failure(write("train.py", "import helpers\n1 / 0\n"))
    assert "helpers" not in sys.modules
    assert "train" not in sys.modules


def test_a_script_is_run_as_it_is_now(write: Write):
    for answer in (1, 2, 3):
        function = load_script(write("train.py", f"def f(): return {answer}")).function("f")
        assert function is not None and function() == answer


def test_loading_a_script_twice_gives_two_of_them(write: Write):
    path = write("train.py", "calls = []\ndef f():\n    calls.append(1)\n    return len(calls)\n")
    first, second = load_script(path).function("f"), load_script(path).function("f")
    assert first is not None and second is not None
    assert [first(), first(), second()] == [1, 2, 1]


@pytest.mark.parametrize("name", ["train", "train.v2.py", "train-v2.py", "训练.py", "__main__.py", "a b.py"])
def test_a_script_may_have_any_name(write: Write, name: str):
    assert load_script(write(name, "def f(): pass")).function("f") is not None


def test_a_link_leads_to_the_folder_of_the_script(write: Write, tmp_path: Path):
    write("real/helpers.py", "answer = 42")
    real = write("real/train.py", "from helpers import answer\ndef f(): return answer")
    (tmp_path / "link.py").symlink_to(real)
    script = load_script(tmp_path / "link.py")
    assert script.path == real
