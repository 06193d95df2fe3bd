"""Two workers, each on a core of its own, against one, against a loop by hand and against Keras `fit`."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.pairs import ROUNDS, Comparison
from runyard.cluster import Layout, Place
from runyard.cluster.ports import HeldPorts

_NAMES = {
    "compute-bound": ("2 workers x 1 core against 2 x (1 worker x 1 core), convolutions", 0.85),
    "by hand, batch 32": ("2 workers, MLP, batch 32: Runyard against a loop by hand", 0.97),
    "by hand, batch 128": ("2 workers, MLP, batch 128: Runyard against a loop by hand", 0.97),
    "fit, batch 32": ("2 workers, MLP, batch 32: Runyard against Keras 2 fit", 1.5),
    "fit, batch 128": ("2 workers, MLP, batch 128: Runyard against Keras 2 fit", 1.5),
}


def run_workers(module: str, *arguments: str, workers: int) -> Any:
    """What worker 0 of so many has written as JSON. Each has one thread for TensorFlow's operations."""
    with HeldPorts(workers) as ports:
        cluster = Layout(workers=workers).on(ports.numbers)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "found.json"
        threads = {"TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "1"}
        processes = [
            subprocess.Popen(
                [sys.executable, "-m", module, str(file), *arguments],
                env={**os.environ, **threads, "TF_CONFIG": Place(cluster, member).tf_config()},
            )
            for member in cluster.members()
        ]
        _wait_for(processes)
        return json.loads(file.read_text())


def _wait_for(processes: Sequence["subprocess.Popen[bytes]"]) -> None:
    try:
        if any(process.wait() for process in processes):
            sys.exit("a worker failed; what it said is above")
    finally:
        for process in processes:
            process.kill()
            process.wait()


def comparisons() -> Iterator[Comparison]:
    if len(os.sched_getaffinity(0)) < 2:
        sys.exit("two workers with a core each need two cores")
    found = run_workers("bench.worker_side", str(ROUNDS), workers=2)
    for key, (name, target) in _NAMES.items():
        ours, theirs, difference = found[key]["ours"], found[key]["theirs"], found[key]["difference"]
        if difference > 1e-3:
            sys.exit(f"{name}: the two sides differ by {difference:.1e}")
        ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
        yield Comparison(name, ratios, statistics.median(ours), statistics.median(theirs), "steps/s", target)
