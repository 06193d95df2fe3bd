"""`runyard run`: look at the program, choose its TensorFlow, run it."""

import contextlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runyard.bridge.choice import KERAS_2_AS_TF_KERAS, choose_keras, name_version_of_keras_2, wanted_keras
from runyard.cluster import Place
from runyard.errors import ScriptError
from runyard.legacy.activation import activate, deactivate
from runyard.legacy.after_import import AfterImport
from runyard.legacy.mends import mend_waiting
from runyard.legacy.python2 import told
from runyard.legacy.settings import Settings
from runyard.legacy.sources import ProgramSources, read_program
from runyard.legacy.sync_replicas import mend_sync_replicas
from runyard.legacy.verdict import TensorFlowVersion, Verdict, judge
from runyard.programs.departure import wait_for_others
from runyard.programs.execution import execute
from runyard.programs.member import orders_of_supervisor, told_who_it_is
from runyard.programs.program import Program
from runyard.telemetry import say


@dataclass(frozen=True)
class RunOptions:
    """What the user chose on the command line.

    Attributes:
        tensorflow: which TensorFlow it is to be; None looks at the program.
        python2: convert Python 2.
        warnings: show TensorFlow's deprecation warnings.
    """

    tensorflow: TensorFlowVersion | None = None
    python2: bool = True
    warnings: bool = False

    def arguments(self) -> list[str]:
        """As they are written on a command line."""
        found = ["--tf", str(self.tensorflow)] if self.tensorflow is not None else []
        found += [] if self.python2 else ["--no-py2"]
        return [*found, "--warnings"] if self.warnings else found


def run_program(program: Program, arguments: Sequence[str], options: RunOptions, *, place: Place | None = None) -> int:
    """Runs a program in this process and returns its exit code.

    Args:
        place: which of several processes this is.

    Raises:
        ScriptError: if it is Python 2 and that is not to be converted.
    """
    sources = read_program(program.file, root=program.root)
    verdict = judge(sources, asked=options.tensorflow)
    say(f"{program.written} {_reason(program, sources=sources, verdict=verdict)}")
    is_python_2 = any(source.conversion.leftovers for source in sources.sources)
    convert = verdict.version == 1 or (verdict.version is None and is_python_2)
    if convert and not options.python2:
        _refuse_python_2(sources)
    if convert:
        packages = (program.package,) if program.package else ()
        settings = Settings(
            asked=options.tensorflow == 1, python2=options.python2, warnings=options.warnings, packages=packages
        )
        activate(settings)
    else:
        deactivate()
    if verdict.version is not None:
        choose_keras(2 if verdict.version == 1 else 3 if verdict.uses_keras_3 else wanted_keras(None))
        for module in KERAS_2_AS_TF_KERAS:
            AfterImport(module, name_version_of_keras_2).install()
    orders = orders_of_supervisor()
    if place is not None:
        if verdict.version == 2:  # It may well train as TensorFlow 1 did, by `tf.compat.v1`.
            AfterImport("tensorflow", _mend_parameter_servers).install()
        arguments = told_who_it_is(arguments, place=place, sources=sources, verdict=verdict)
    safe_path = orders.safe_path if orders is not None else sys.flags.safe_path
    code = execute(program, arguments, convert=convert, safe_path=safe_path)
    if code == 0 and place is not None and orders is not None:
        with contextlib.suppress(KeyboardInterrupt):
            wait_for_others(Path(orders.folder), place)
    return code


def _mend_parameter_servers() -> None:
    mend_waiting()
    mend_sync_replicas()


def _reason(program: Program, *, sources: ProgramSources, verdict: Verdict) -> str:
    unreadable = dict(sources.unreadable).get(program.file)
    if unreadable is not None and verdict.version is None:
        return f"cannot be read: {unreadable}"
    if verdict.version != 2:
        return verdict.reason
    keras = 3 if verdict.uses_keras_3 else wanted_keras(None)
    return f"{verdict.reason}; tf.keras is Keras {keras}"


def _refuse_python_2(sources: ProgramSources) -> None:
    found = [source for source in sources.sources if source.conversion.leftovers]
    if found:
        raise ScriptError(
            "the program is Python 2, and --no-py2 was given:\n"
            + "\n".join(f"  {source.path}: {told(source.conversion.leftovers)}" for source in found),
            hint="without --no-py2 these are converted in memory; the files stay as they are",
        )
