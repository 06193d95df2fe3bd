"""`runyard run`."""

import difflib
import sys
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer
from typer.core import TyperCommand

from runyard.errors import ConfigError


class Command(TyperCommand):
    """`runyard run`, which gets options that are the program's when `--` was left out."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Raises ConfigError for an option that is not ours."""
        written = list(args)
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            if type(error).__name__ != "NoSuchOption":
                raise
            option = str(getattr(error, "option_name", ""))
            raise ConfigError(f"runyard run has no option {option}", hint=self._hint(option, written)) from None

    def _hint(self, option: str, written: list[str]) -> str:
        ours = [name for parameter in self.params for name in parameter.opts]
        close = difflib.get_close_matches(option, ours, n=1, cutoff=0.8)
        at = next(index for index, word in enumerate(written) if word.startswith(option))
        hints = [f"did you mean {close[0]}?"] if close else []
        if any(word == "-m" or Path(word).exists() for word in written[:at]):
            example = " ".join([*written[:at], "--", *(word for word in written[at:] if word != "--")])
            hints.append(f"the program's own options come after --: runyard run {example}")
        return " or ".join(hints) or "runyard run --help lists them"


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
    workers: Annotated[
        int | None, typer.Option("--workers", metavar="N", min=1, help="Run it in N processes that work together.")
    ] = None,
    ps: Annotated[
        int, typer.Option("--ps", metavar="N", min=0, help="And in N more that serve parameters to them.")
    ] = 0,
    logs: Annotated[Path, typer.Option("--logs", metavar="DIR", help="Where what each process says is kept.")] = Path(
        "logs"
    ),
    verbose: Annotated[bool, typer.Option("--verbose", help="Show what all processes say.")] = False,
    max_restarts: Annotated[
        int,
        typer.Option("--max-restarts", metavar="N", min=0, help="After a process was killed, start it or all again."),
    ] = 3,
) -> None:
    """Run a program as it is, also one written for TensorFlow 1."""
    from runyard.cluster import Shape
    from runyard.programs.member import place_of_member, tell_who_wins
    from runyard.programs.processes import Processes, run_processes
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
    processes = Processes(workers=workers or 1, ps=ps, logs=logs, verbose=verbose, max_restarts=max_restarts)
    several = processes.workers + processes.ps > 1
    place = place_of_member(arguments) if several else None
    if place is not None:
        tell_who_wins(place, asked=Shape(processes.workers, processes.ps))
    if several and place is None:
        sys.exit(run_processes(program, arguments, options, processes=processes))
    sys.exit(run_program(program, arguments, options, place=place))
