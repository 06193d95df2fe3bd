"""A program in several processes on this machine: this one supervises, each member is a process of its own."""

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runyard.cluster import FailurePolicy, GroupSpec, Layout, Place, supervise
from runyard.legacy.warning_tally import WarningTally
from runyard.programs.member import Orders
from runyard.programs.program import Program
from runyard.programs.run import RunOptions


@dataclass(frozen=True, kw_only=True)
class Processes:
    """What the user asked for.

    Args:
        logs: gets a file for each process.
        verbose: show the lines of all, not of the first worker alone.
        max_restarts: how often all are started again after one was killed or has crashed.
    """

    workers: int
    ps: int = 0
    logs: Path = Path("logs")
    verbose: bool = False
    max_restarts: int = 3


def run_processes(program: Program, arguments: Sequence[str], options: RunOptions, *, processes: Processes) -> int:
    """Starts all members and returns the exit code of the whole.

    Where one was killed, all are started again: what the program has saved is what it goes on from.
    """
    command = [sys.executable, "-P", "-m", "runyard", "run", *options.arguments()]
    command += ["--workers", str(processes.workers), "--ps", str(processes.ps)]
    command += ["-m", program.written] if program.module is not None else [program.written]
    command += ["--", *arguments]

    def command_of(place: Place) -> list[str]:
        return command

    with tempfile.TemporaryDirectory(prefix="runyard-") as folder, WarningTally.begun() as warnings:
        orders = Orders(folder, safe_path=sys.flags.safe_path)
        ending = supervise(
            GroupSpec(
                command=command_of,
                layout=Layout(workers=processes.workers, ps=processes.ps, chief=False),
                log_dir=processes.logs,
                policy=FailurePolicy(max_restarts=processes.max_restarts),
                env={**orders.variables(), **warnings.variables()},
                verbose=processes.verbose,
            )
        )
    return ending.exit_code
