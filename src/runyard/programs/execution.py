"""Runs a program as `__main__` in this process, as Python would."""

import builtins
import importlib
import importlib.machinery
import importlib.util
import sys
import threading
import types
from collections.abc import Sequence
from typing import Any

from runyard.errors import Interrupted, RunyardError
from runyard.legacy.python2_loader import compiled
from runyard.programs.hints import hint_for
from runyard.programs.program import Program
from runyard.programs.tracebacks import program_traceback, without_our_frames
from runyard.telemetry import show_error


def execute(program: Program, arguments: Sequence[str], *, convert: bool, safe_path: bool) -> int:
    """Runs the program to its end and returns its exit code.

    Under a debugger, what the program raises is left to the debugger.

    Args:
        convert: convert Python 2 on the way.
        safe_path: Python was asked not to look for modules in the program's folder.
    """
    sys.argv = [str(program.file) if program.module else program.written, *arguments]
    if not safe_path:
        _first_on_path(program)
    sys.excepthook = sys.__excepthook__
    try:
        _run(program, convert=convert)
    except SystemExit as done:
        _show_hint(done)
        _wait_for_threads()
        return _exit_code(done)
    except BaseException as error:
        if sys.gettrace() is not None:
            error.__traceback__ = without_our_frames(error.__traceback__)
            raise
        meant = _meant(error)
        _report(meant, program=program)
        _wait_for_threads()
        return _code_of(meant)
    _wait_for_threads()
    return 0


def _run(program: Program, *, convert: bool) -> None:
    spec = _spec(program)
    main = types.ModuleType("__main__")
    names: dict[str, Any] = vars(main)
    names["__file__"] = str(program.file)
    names["__builtins__"] = builtins
    if spec is not None:
        names["__spec__"], names["__loader__"] = spec, spec.loader
        names["__package__"] = spec.parent
    else:
        names["__loader__"] = importlib.machinery.SourceFileLoader("__main__", str(program.file))
        names["__package__"] = None
    # It stays there: what runs at exit, in threads and in child processes looks for it.
    sys.modules["__main__"] = main
    exec(_code(program, convert=convert), names)


def _spec(program: Program) -> importlib.machinery.ModuleSpec | None:
    if program.module is None:
        return None
    package = program.module.rpartition(".")[0]
    if package:
        importlib.import_module(package)
    return importlib.util.find_spec(program.module)


def _code(program: Program, *, convert: bool) -> types.CodeType:
    file = str(program.file)
    if convert:
        return compiled(file, module="__main__", python2=True)
    return compile(program.file.read_bytes(), file, "exec", dont_inherit=True)


def _first_on_path(program: Program) -> None:
    """Where Python would look first; the folder of the `runyard` command is nothing to the program."""
    if sys.flags.safe_path:
        sys.path.insert(0, "")
    sys.path[0] = str(program.root)


def _exit_code(done: SystemExit) -> int:
    if done.code is None or isinstance(done.code, int):
        return done.code or 0
    sys.stderr.write(f"{done.code}\n")
    return 1


def _meant(error: BaseException) -> BaseException:
    """A Ctrl-C within TensorFlow, while it was about to raise something else, comes as a mixture of both."""
    if isinstance(error, RuntimeError) and "REPLACED BY KeyboardInterrupt" in str(error):
        return KeyboardInterrupt().with_traceback(error.__traceback__)
    return error


def _code_of(error: BaseException) -> int:
    if isinstance(error, KeyboardInterrupt):
        return Interrupted.exit_code
    return error.exit_code if isinstance(error, RunyardError) else 1


def _report(error: BaseException, *, program: Program) -> None:
    if sys.excepthook is not sys.__excepthook__:
        sys.excepthook(type(error), error, error.__traceback__)
        return
    sys.stdout.flush()
    sys.stderr.write(program_traceback(error, program=program) + "\n")
    _show_hint(error)
    if isinstance(error, KeyboardInterrupt):
        show_error("interrupted")


def _show_hint(error: BaseException) -> None:
    if (hint := hint_for(error)) is not None:
        sys.stderr.write(f"  hint: {hint}\n")


def _wait_for_threads() -> None:
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
