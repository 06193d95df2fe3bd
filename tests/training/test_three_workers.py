"""Three workers: an odd number, so that some have less to do than others in most steps."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runyard.cluster import Layout
from tests.shared_work import done_once
from tests.training.clusters import run_cluster
from tests.training.three_worker_cases import EQUAL, KERAS, UNEQUAL

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What three workers have written that ran all cases, one after the other."""

    def work(folder: Path) -> None:
        run_cluster("tests.training.three_worker_cases", folder, layout=Layout(workers=3), timeout=400)

    return done_once("three_workers", work, factory=tmp_path_factory)


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
