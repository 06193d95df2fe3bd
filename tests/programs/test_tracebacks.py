"""What a program's error looks like."""

import json
import sys
from pathlib import Path

import pytest

import moxing
from runyard.errors import DataError, RunyardError
from runyard.programs.hints import hint_for
from runyard.programs.program import program_in_file
from runyard.programs.tracebacks import program_traceback


def test_where_an_operation_was_made_begins_at_the_program(tmp_path: Path) -> None:
    program = tmp_path / "old.py"
    program.write_text("")
    message = (
        "Detected at node 'x' defined at (most recent call last):\n"
        '    File "<frozen runpy>", line 198, in _run_module_as_main\n'
        f'    File "{sys.modules["runyard"].__file__}", line 5, in <module>\n'
        f'    File "{json.__file__}", line 65, in main\n'
        f'    File "{program}", line 13, in <module>\n'
        f'    File "{json.__file__}", line 9, in save\n'
        "Node: 'x'"
    )
    try:
        raise ValueError(message)
    except ValueError as error:
        text = program_traceback(error, program=program_in_file(str(program)))
    assert text.splitlines()[-4:] == [
        "ValueError: Detected at node 'x' defined at (most recent call last):",
        f'    File "{program}", line 13, in <module>',
        f'    File "{json.__file__}", line 9, in save',
        "Node: 'x'",
    ]


REFUSED = """
import json
from runyard.programs.program import program_in_file

def read(found):
    try:
        found["name"]
    except KeyError:
        program_in_file("nothing")

json.loads('{"a": 1}', object_hook=read)
"""


def test_what_runyard_refuses_is_one_message_below_the_programs_lines(tmp_path: Path) -> None:
    program = tmp_path / "old.py"
    program.write_text(REFUSED)
    with pytest.raises(RunyardError) as caught:
        exec(compile(REFUSED, program, "exec"), {})
    lines = program_traceback(caught.value, program=program_in_file(str(program))).splitlines()
    assert [line for line in lines if "File" in line] == [
        f'  File "{program}", line 7, in read',
        f'  File "{program}", line 11, in <module>',
        f'  File "{program}", line 9, in read',
    ]
    assert lines[-2:] == ["error: nothing: there is no such program", "  hint: did you mean -m nothing?"]
    assert "During handling of the above exception, another exception occurred:" in lines


def test_an_error_none_of_whose_frames_is_the_programs_is_shown_as_python_would(tmp_path: Path) -> None:
    """As a syntax error of the program itself, which is found before it runs, or a cause that was never raised."""
    program = tmp_path / "old.py"
    program.write_text("def f(:\n")
    with pytest.raises(SyntaxError) as wrong:
        compile(program.read_text(), program, "exec")
    lines = program_traceback(wrong.value.with_traceback(None), program=program_in_file(str(program))).splitlines()
    assert lines[0] == f'  File "{program}", line 1'
    assert lines[-1].startswith("SyntaxError: ")
    program.write_text("raise RuntimeError('x') from ValueError('y')\n")
    with pytest.raises(RuntimeError) as raised:
        exec(compile(program.read_text(), program, "exec"), {})
    lines = program_traceback(raised.value, program=program_in_file(str(program))).splitlines()
    assert (lines[0], lines[-1]) == ("ValueError: y", "RuntimeError: x")


LIBRARY = """
import json
from runyard.errors import DataError

def refuse():
    try:
        json.loads("{")
    except ValueError as error:
        raise DataError("the file is half written") from error
"""


def test_how_runyard_found_out_is_left_out(tmp_path: Path) -> None:
    program = tmp_path / "old.py"
    program.write_text("refuse()")
    names: dict[str, object] = {}
    exec(compile(LIBRARY, json.__file__, "exec"), names)
    with pytest.raises(DataError) as caught:
        exec(compile("refuse()", program, "exec"), names)
    assert program_traceback(caught.value, program=program_in_file(str(program))).splitlines() == [
        "Traceback (most recent call last):",
        f'  File "{program}", line 1, in <module>',
        "    refuse()",
        "error: the file is half written",
    ]


def test_what_moxing_does_between_the_programs_lines_is_left_out(tmp_path: Path) -> None:
    program = tmp_path / "old.py"
    program.write_text("run(lambda: {}['a'])")
    names: dict[str, object] = {}
    exec(compile("def run(callback):\n    return callback()", moxing.__file__, "exec"), names)
    for called, expected in (("run(lambda: {}['a'])", 2), ("run(3)", 1)):
        with pytest.raises((KeyError, TypeError)) as caught:
            exec(compile(called, program, "exec"), names)
        text = program_traceback(caught.value, program=program_in_file(str(program)))
        assert text.count(f'File "{program}"') == expected
        assert (moxing.__file__ in text) == (called == "run(3)"), "where it was raised is never left out"


def test_a_package_that_is_missing_is_told_with_its_name() -> None:
    hints = {}
    for name in ("cv2", "no_such_package.part", "json.nothing"):
        with pytest.raises(ModuleNotFoundError) as caught:
            __import__(name)
        hints[name] = hint_for(caught.value)
    assert str(hints["cv2"]).endswith("pip install opencv-python-headless")
    assert str(hints["no_such_package.part"]).endswith("pip install no_such_package")
    assert hints["json.nothing"] is None


@pytest.mark.parametrize("scheme", ["s3", "obs", "ks3", "gs"])
def test_object_stores_are_told_from_other_errors(scheme: str) -> None:
    words = f"File system scheme '{scheme}' not implemented (file: '{scheme}://a/b')"
    assert f"{scheme}:// paths" in str(hint_for(RuntimeError(words)))
    error = RuntimeError("the run failed")
    error.__cause__ = RuntimeError(words)
    assert f"{scheme}:// paths" in str(hint_for(error))
    assert hint_for(ValueError(f"{scheme}://a/b has no label")) is None
    assert hint_for(FileNotFoundError(2, "No such file", "/local/path")) is None
