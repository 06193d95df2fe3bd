"""What a program's error looks like."""

import json
import sys
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("scheme", ["s3", "obs", "ks3", "gs"])
def test_object_stores_are_told_from_other_errors(scheme: str) -> None:
    words = f"File system scheme '{scheme}' not implemented (file: '{scheme}://a/b')"
    assert f"{scheme}:// paths" in str(hint_for(RuntimeError(words)))
    error = RuntimeError("the run failed")
    error.__cause__ = RuntimeError(words)
    assert f"{scheme}:// paths" in str(hint_for(error))
    assert hint_for(ValueError(f"{scheme}://a/b has no label")) is None
    assert hint_for(FileNotFoundError(2, "No such file", "/local/path")) is None
