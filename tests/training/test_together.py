"""Two workers against one process: the same weights, the same metrics, and workers that are equal bit by bit."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runyard.cluster import Layout
from runyard.training.division import Division
from runyard.training.together import Together
from tests.shared_work import done_once
from tests.training.clusters import run_cluster
from tests.training.worker_cases import DIFFERENT, ON_DEVICES, SAME, undivided

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a pair of workers has written that ran all cases, one after the other."""

    def work(folder: Path) -> None:
        run_cluster("tests.training.worker_cases", folder, layout=Layout(workers=2), timeout=400)

    return done_once("two_workers", work, factory=tmp_path_factory)


def read(folder: Path, *, name: str, keras: int, worker: int) -> dict[str, Any]:
    with np.load(folder / f"{name} keras{keras} worker{worker}.npz") as file:
        return dict(file)


def test_ctrl_c_while_the_others_end_because_of_it_is_ctrl_c() -> None:
    waiting = object.__new__(Together)
    said = "MISMATCH of exception types: ORIGINAL UnavailableError REPLACED BY KeyboardInterrupt"
    with pytest.raises(KeyboardInterrupt), waiting.refusing_lost_peers():
        raise RuntimeError(said)
    with pytest.raises(RuntimeError, match="another one"), waiting.refusing_lost_peers():
        raise RuntimeError("another one")


@pytest.mark.parametrize("name", SAME)
def test_two_workers_give_what_one_process_with_twice_the_batch_gives(name: str, keras: Any, folder: Path) -> None:
    found = read(folder, name=name, keras=keras, worker=0)
    expected = undivided(name, keras, scale=2)
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        np.testing.assert_allclose(found[key], value, atol=1e-5, rtol=1e-5, err_msg=key)


@pytest.mark.parametrize("name", ON_DEVICES)
def test_two_workers_with_two_devices_each_give_what_four_times_the_batch_gives(
    name: str, keras: Any, folder: Path
) -> None:
    found = read(folder, name=f"{name} on devices", keras=keras, worker=0)
    for key, value in undivided(name, keras, scale=4).items():
        np.testing.assert_allclose(found[key], value, atol=1e-5, rtol=1e-5, err_msg=key)


def test_each_part_of_a_batch_has_a_device_of_its_own(folder: Path) -> None:
    for worker in (0, 1):
        names = (folder / f"devices{worker}.txt").read_text().split()
        assert [name[-5:] for name in names] == ["CPU:0", "CPU:1"]


@pytest.mark.parametrize("name", ["adam, weighted, validated", "pcgrad", "embedding", "grouped metric", *DIFFERENT])
def test_one_process_with_the_shards_of_both_does_what_two_workers_do(name: str, keras: Any, folder: Path) -> None:
    """Masks of Dropout and statistics of BatchNormalization included."""
    workers = read(folder, name=name, keras=keras, worker=0)
    alone = {**SAME, **DIFFERENT}[name].run(keras, division=Division(shards=2))
    assert alone.keys() == workers.keys()
    for key, value in workers.items():
        np.testing.assert_allclose(alone[key], value, atol=1e-5, rtol=1e-5, err_msg=key)


def test_two_devices_do_what_two_workers_do(keras: Any, folder: Path) -> None:
    """Masks of Dropout and statistics of BatchNormalization included, as both look at the same rows."""
    name = "restless, full batches"
    workers = read(folder, name=name, keras=keras, worker=0)
    devices = DIFFERENT[name].run(keras, division=Division(replicas=2))
    for key, value in workers.items():
        np.testing.assert_allclose(devices[key], value, atol=1e-5, rtol=1e-5, err_msg=key)


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
