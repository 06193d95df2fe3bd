"""Two workers against one process: the same weights, the same metrics, and workers that are equal bit by bit."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runyard.cluster import Layout, Place
from runyard.cluster.ports import HeldPorts
from tests.training.worker_cases import DIFFERENT, SAME

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a pair of workers has written that ran all cases, one after the other."""
    folder = tmp_path_factory.mktemp("workers")
    layout = Layout(workers=2)
    with HeldPorts(2) as ports:
        cluster = layout.on(ports.numbers)
    command = [sys.executable, "-m", "tests.training.worker_cases", str(folder)]
    logs = [(folder / f"{member.file_name}.log").open("w") for member in cluster.members()]
    processes = [
        subprocess.Popen(
            command, env={**os.environ, "TF_CONFIG": Place(cluster, member).tf_config()}, stdout=log, stderr=log
        )
        for member, log in zip(cluster.members(), logs, strict=True)
    ]
    try:
        codes = [process.wait(timeout=240) for process in processes]
    finally:
        for process, log in zip(processes, logs, strict=True):
            process.kill()
            process.wait()
            log.close()
    assert codes == [0, 0], "\n".join(path.read_text() for path in folder.glob("*.log"))
    return folder


def read(folder: Path, *, name: str, keras: int, worker: int) -> dict[str, Any]:
    with np.load(folder / f"{name} keras{keras} worker{worker}.npz") as file:
        return dict(file)


@pytest.mark.parametrize("name", SAME)
def test_two_workers_give_what_one_process_with_twice_the_batch_gives(name: str, keras: Any, folder: Path) -> None:
    found = read(folder, name=name, keras=keras, worker=0)
    expected = SAME[name].run(keras, scale=2)
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        np.testing.assert_allclose(found[key], value, atol=1e-5, rtol=1e-5, err_msg=key)


@pytest.mark.parametrize("name", [*SAME, *DIFFERENT])
def test_workers_end_with_the_same_bits_and_the_same_results(name: str, keras: Any, folder: Path) -> None:
    first, second = (read(folder, name=name, keras=keras, worker=worker) for worker in (0, 1))
    same = [key for key in first if not key.startswith("random")]
    assert same
    assert {key: first[key].tobytes() for key in same} == {key: second[key].tobytes() for key in same}


def test_workers_draw_different_random_numbers(keras: Any, folder: Path) -> None:
    first, second = (read(folder, name="restless", keras=keras, worker=worker) for worker in (0, 1))
    states = [key for key in first if key.startswith("random")]
    assert states
    assert all(first[key].tobytes() != second[key].tobytes() for key in states)
