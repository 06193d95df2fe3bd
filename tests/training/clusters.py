"""All processes of a small cluster, run to their end."""

import os
from pathlib import Path

from runyard.cluster import Layout, Place
from runyard.cluster.ports import HeldPorts
from tests.warm import WarmPopen


def run_cluster(module: str, folder: Path, *, layout: Layout, timeout: float, **environment: str) -> None:
    """Runs a module in every process of a cluster. What each says is in a file in the folder, which it is given."""
    with HeldPorts(len(list(layout.members()))) as ports:
        cluster = layout.on(ports.numbers)
    command = ["-m", module, str(folder)]
    logs = [(folder / f"{member.file_name}.log").open("w") for member in cluster.members()]
    processes = [
        WarmPopen(
            command,
            env={**os.environ, **environment, "TF_CONFIG": Place(cluster, member).tf_config()},
            stdout=log,
            stderr=log,
        )
        for member, log in zip(cluster.members(), logs, strict=True)
    ]
    try:
        codes = [process.wait(timeout=timeout) for process in processes]
    finally:
        for process, log in zip(processes, logs, strict=True):
            process.kill()
            process.wait()
            log.close()
    assert codes == [0] * len(processes), "\n".join(path.read_text() for path in folder.glob("*.log"))
