"""`runyard run`."""

import sys
from typing import Annotated, Literal, cast

import typer

from runyard.errors import ConfigError


def command(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="PROGRAM.py [-- ARGUMENTS]", help="The program, `--`, its arguments.")
    ] = None,
    module: Annotated[
        str | None, typer.Option("-m", metavar="MODULE", help="Run a module instead, such as trainer.task.")
    ] = None,
    tensorflow: Annotated[
        int | None,
        typer.Option("--tf", min=1, max=2, help="Which TensorFlow it was written for; else it is looked at."),
    ] = None,
    python2: Annotated[bool, typer.Option("--py2/--no-py2", help="Convert Python 2 in memory, or refuse it.")] = True,
    warnings: Annotated[bool, typer.Option("--warnings", help="Show TensorFlow's deprecation warnings.")] = False,
) -> None:
    """Run a program as it is, also one written for TensorFlow 1."""
    from runyard.programs.program import program_in_file, program_in_module
    from runyard.programs.run import RunOptions, run_program

    arguments = list(words or ())
    if module is not None:
        program = program_in_module(module)
    elif arguments:
        program = program_in_file(arguments.pop(0))
    else:
        raise ConfigError("which program?", hint="runyard run PROGRAM.py -- [ARGUMENTS], or runyard run -m MODULE")
    options = RunOptions(cast("Literal[1, 2] | None", tensorflow), python2=python2, warnings=warnings)
    sys.exit(run_program(program, arguments, options))
