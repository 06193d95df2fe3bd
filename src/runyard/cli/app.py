"""The command line: the list of commands, and what happens to errors."""

import atexit
import contextlib
import os
import sys
import traceback
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from runyard import __version__
from runyard.cli import check, evaluate, export, init, legacy, pipeline, predict, run, schema, show, train
from runyard.errors import Interrupted, RunyardError
from runyard.telemetry import show_error

_EPILOG = "Exit codes: 0 done, 2 the job file or command line is wrong, 3 the script, 4 the user's own code raised, \
5 the data, 6 the model; the others are listed in docs/errors.md."


class _Commands(TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        """Ctrl-C is an error like any other; left alone, typer would end without a word."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted("interrupted") from None


app = typer.Typer(
    name="runyard",
    cls=_Commands,
    help="Give it a model and data, it runs the training anywhere.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    epilog=_EPILOG,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"runyard {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Give it a model and data, it runs the training anywhere."""


for _command in (init, check, train, evaluate, predict, pipeline, export, run, legacy, show, schema):
    app.command(name=_command.__name__.rpartition(".")[2], cls=getattr(_command, "Command", None))(_command.command)


def main(arguments: list[str] | None = None) -> None:
    """Runs a command and exits with its code. A user's mistake never shows a traceback of Runyard's."""
    try:
        app(args=arguments, standalone_mode=True)
    except SystemExit as done:
        _leave(done.code if isinstance(done.code, int) else int(done.code is not None))
    except RunyardError as error:
        show_error(str(error))
        _leave(error.exit_code)
    except KeyboardInterrupt:
        show_error("interrupted")
        _leave(Interrupted.exit_code)
    except BrokenPipeError:
        _leave(1)
    except Exception as error:
        if sys.gettrace() is not None:
            raise
        traceback.print_exc()
        show_error(f"this is a mistake in Runyard, not in your job ({type(error).__name__}); please report it")
        _leave(RunyardError.exit_code)


def _leave(code: int) -> None:
    """Ends the process without taking it apart.

    Python would free dataset iterators while TensorFlow's threads may still wait for Python to run a user's function in
    them; both would wait for ever.
    """
    if sys.gettrace() is not None:
        sys.exit(code)  # a debugger wants to go on
    with contextlib.suppress(BrokenPipeError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]
    os._exit(code)
