"""Three workers: an odd number, so that some have less to do than others in most steps."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runyard.cluster import Layout, Place
from runyard.cluster.ports import HeldPorts
from tests.training.three_worker_cases import EQUAL, KERAS, UNEQUAL

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What three workers have written that ran all cases, one after the other."""
    folder = tmp_path_factory.mktemp("workers")
    with HeldPorts(3) as ports:
        cluster = Layout(workers=3).on(ports.numbers)
    command = [sys.executable, "-m", "tests.training.three_worker_cases", str(folder)]
    processes = [
        subprocess.Popen(
            command,
            env={**os.environ, "TF_CONFIG": Place(cluster, member).tf_config()},
            stdout=subprocess.DEVNULL,
            stderr=(folder / f"{member.file_name}.log").open("w"),
        )
        for member in cluster.members()
    ]
    try:
        codes = [process.wait(timeout=280) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    assert codes == [0, 0, 0], "\n".join(path.read_text() for path in folder.glob("*.log"))
    return folder


def read(folder: Path, *, name: str) -> list[dict[str, Any]]:
    """What each worker has ended with."""
    found: list[dict[str, Any]] = []
    for worker in range(3):
        with np.load(folder / f"{name} worker{worker}.npz") as file:
            found.append(dict(file))
    return found


@pytest.mark.parametrize("name", EQUAL)
def test_three_workers_give_what_one_process_with_three_times_the_batch_gives(
    name: str, folder: Path, tensorflow: Any
) -> None:
    found, expected = read(folder, name=name)[0], EQUAL[name].run(KERAS, scale=3)
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        np.testing.assert_allclose(found[key], value, atol=1e-5, rtol=1e-5, err_msg=key)


@pytest.mark.parametrize("name", [*EQUAL, *UNEQUAL])
def test_three_workers_end_with_the_same_bits(name: str, folder: Path) -> None:
    first, *others = read(folder, name=name)
    for other in others:
        for key in first:
            assert key.startswith("random") or first[key].tobytes() == other[key].tobytes(), key


def test_a_step_that_one_worker_cannot_compute_in_half_precision_is_left_out_by_all(folder: Path) -> None:
    found = read(folder, name="half precision, too large for one worker")[0]
    weights = [value for key, value in found.items() if key.startswith("weight")]
    assert weights
    assert all(np.isfinite(value).all() for value in weights)
