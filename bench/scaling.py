"""`python -m bench.scaling`: what more workers cost, measured to 4 processes here, calculated to 512.

`python -m bench.scaling calculated` prints the second table alone, at once.
"""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from bench.workers import run_workers

ROUNDS = 5
STEP = 0.1
"""Seconds that a step computes, in the calculation."""
WORKERS = (2, 4, 8, 16, 32, 64, 128, 256, 512)
MODELS = {"1 M": 1_000_000, "25 M": 25_000_000, "100 M": 100_000_000}


@dataclass(frozen=True)
class Network:
    """What lies between two workers.

    Args:
        gigabits: per second, each way.
        latency: seconds of one message, with what the programs on both ends do for it.
    """

    gigabits: float
    latency: float

    def __str__(self) -> str:
        return f"{self.gigabits:g} Gb/s"

    def all_reduce(self, numbers: int, *, workers: int) -> float:
        """Seconds of a ring all-reduce of numbers of four bytes.

        Each worker sends a part of 1/N of the vector 2 (N - 1) times: N - 1 to sum, N - 1 to hand out.
        """
        seconds = 4 * numbers / (self.gigabits * 1e9 / 8)
        return 2 * (workers - 1) * (self.latency + seconds / workers)


NETWORKS = (Network(10, 100e-6), Network(25, 100e-6), Network(100, 50e-6))


def measured() -> Iterator[str]:
    cores = len(os.sched_getaffinity(0))
    yield f"measured on {cores} cores, one thread for each process; ms"
    yield "| processes | sum of 1 number | of 10,000 | of 1 M | of 8 M | MLP step | convolutions step |"
    yield "|---|---|---|---|---|---|---|"
    for workers in (1, 2, 3, 4):
        found = run_workers("bench.exchange_side", str(ROUNDS), workers=workers)
        times = [*found["exchange"].values(), found["MLP"], found["convolutions"]]
        yield f"| {workers} | {' | '.join(f'{1000 * seconds:.2f}' for seconds in times)} |"


def calculated() -> Iterator[str]:
    yield f"calculated: ms of the exchange in a step (share of a step of {1000 * STEP:g} ms + exchange that computes)"
    columns = [(name, network) for name in MODELS for network in NETWORKS]
    yield f"| workers | {' | '.join(f'{name}, {network}' for name, network in columns)} |"
    yield f"|---|{'---|' * len(columns)}"
    for workers in WORKERS:
        times = [network.all_reduce(MODELS[name], workers=workers) for name, network in columns]
        cells = [f"{1000 * seconds:,.0f} ({100 * STEP / (STEP + seconds):.0f} %)" for seconds in times]
        yield f"| {workers} | {' | '.join(cells)} |"


if __name__ == "__main__":
    if sys.argv[1:] != ["calculated"]:
        for line in measured():
            print(line, flush=True)
        print()
    for line in calculated():
        print(line)
