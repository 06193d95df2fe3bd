"""A program in several processes on this machine: this one supervises, each member is a process of its own."""

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runyard.cluster import FailurePolicy, GroupSpec, Layout, Place, supervise
from runyard.legacy.sources import read_program
from runyard.legacy.warning_tally import WarningTally
from runyard.programs.lost_workers import LostWorkers, works_asynchronously
from runyard.programs.member import Orders
from runyard.programs.program import Program
from runyard.programs.run import RunOptions


@dataclass(frozen=True, kw_only=True)
class Processes:
    """What the user asked for.

    Args:
        logs: gets a file for each process.
        verbose: show the lines of all, not of the first worker alone.
        max_restarts: how often all, or one alone, are started again after one was killed or has crashed.
    """

    workers: int
    ps: int = 0
    logs: Path = Path("logs")
    verbose: bool = False
    max_restarts: int = 3


def run_processes(program: Program, arguments: Sequence[str], options: RunOptions, *, processes: Processes) -> int:
    """Starts all members and returns the exit code of the whole.

    Where one was killed, all are started again: what the program has saved is what it goes on from. Where workers need
    nothing of each other but the parameter servers, one that was killed is started again alone.
    """
    sources = read_program(program.file, root=program.root)
    alone = processes.ps > 0 and works_asynchronously(sources, asked=options.tensorflow)
    command = [sys.executable, "-P", "-m", "runyard", "run", *options.arguments()]
    command += ["--workers", str(processes.workers), "--ps", str(processes.ps)]
    command += ["-m", program.written] if program.module is not None else [program.written]
    command += ["--", *arguments]

    def command_of(place: Place) -> list[str]:
        return command

    with tempfile.TemporaryDirectory(prefix="runyard-") as folder, WarningTally.begun() as warnings:
        orders = Orders(folder, safe_path=sys.flags.safe_path)
        lost_workers = LostWorkers(Path(folder), times=processes.max_restarts if alone else 0)
        ending = supervise(
            GroupSpec(
                command=command_of,
                layout=Layout(workers=processes.workers, ps=processes.ps, chief=False),
                log_dir=processes.logs,
                policy=FailurePolicy(max_restarts=processes.max_restarts),
                env={**orders.variables(), **warnings.variables()},
                verbose=processes.verbose,
                saves=False,
                starts_alone=lost_workers.start_alone,
            )
        )
    return ending.exit_code
