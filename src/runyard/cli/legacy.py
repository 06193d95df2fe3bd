"""`runyard legacy`."""

from typing import Annotated

import typer

from runyard.errors import ConfigError, ScriptError
from runyard.telemetry import note, show_table, show_text

_SHOWN_PLACES = 4


def command(
    file: Annotated[str | None, typer.Argument(metavar="PROGRAM.py", help="The program.")] = None,
    module: Annotated[str | None, typer.Option("-m", metavar="MODULE", help="A module instead.")] = None,
) -> None:
    """List every name of TensorFlow 1 in a program, where it lives today, and whether it will run."""
    from runyard.legacy.report import names_of_tensorflow_1
    from runyard.legacy.sources import read_program
    from runyard.legacy.verdict import judge
    from runyard.programs.packages import missing_modules, told_missing
    from runyard.programs.program import program_in_file, program_in_module

    if (file is None) == (module is None):
        raise ConfigError("which program?", hint="runyard legacy PROGRAM.py, or runyard legacy -m MODULE")
    program = program_in_module(module) if module is not None else program_in_file(file or "")
    sources = read_program(program.file, root=program.root)
    for unreadable, reason in sources.unreadable:
        note(f"{unreadable} cannot be read: {reason}")
    for missing_module in missing_modules(sources, root=program.root):
        note(told_missing(missing_module))
    show_text(f"{program.written} {judge(sources).reason}.")
    rows = names_of_tensorflow_1(sources)
    shown: list[tuple[str, ...]] = []
    for row in rows:
        places = [f"{path.name}:{line}" for path, line in row.places]
        more = f" and {len(places) - _SHOWN_PLACES} more" if len(places) > _SHOWN_PLACES else ""
        runs = "runs" if row.judged.runs else "does not run"
        shown.append((row.name, runs, row.judged.home, ", ".join(places[:_SHOWN_PLACES]) + more))
    show_table(("name", "here", "today", "where"), shown)
    missing = sum(not row.judged.runs for row in rows)
    if missing:
        show_text(f"{missing} of {len(rows)} names will not run.")
        raise typer.Exit(ScriptError.exit_code)
    all_run = "The one name will run." if len(rows) == 1 else f"All {len(rows)} names will run."
    show_text(all_run if rows else "It uses no name that only TensorFlow 1 has.")
