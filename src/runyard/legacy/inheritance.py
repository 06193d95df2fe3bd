"""What a child process of an old program does before its own program starts."""

import os
import sys
from pathlib import Path

from runyard.legacy.activation import activate
from runyard.legacy.ownership import is_library_file
from runyard.legacy.python2 import convert
from runyard.legacy.settings import from_environment


def inherit() -> None:
    """Switches the process as its parent was switched.

    Python itself compiles the script that it is given. One in Python 2 is therefore handed to `runyard run`.
    """
    settings = from_environment()
    if settings is None:
        return
    script = _script()
    if script is not None and settings.python2 and _is_python_2(script):
        options = sys.orig_argv[1 : len(sys.orig_argv) - len(sys.argv)]
        shown = ["--warnings"] if settings.warnings else []
        command = ["-m", "runyard", "run", "--tf", "1", *shown, str(script), "--", *sys.argv[1:]]
        os.execv(sys.executable, [sys.executable, *options, *command])
    activate(settings, inherited=True)


def _script() -> Path | None:
    """The script that Python was started with, if it is the program's own."""
    path = Path(sys.argv[0]) if sys.argv and sys.argv[0] else None
    return path if path is not None and path.is_file() and not is_library_file(str(path)) else None


def _is_python_2(script: Path) -> bool:
    try:
        return bool(convert(script.read_bytes(), file=str(script)).leftovers)
    except (OSError, SyntaxError, ValueError):
        return False
