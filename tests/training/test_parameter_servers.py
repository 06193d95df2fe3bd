"""Parameter servers: what several workers count, and one worker against one process."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from runyard.cluster import Layout
from runyard.data.elsewhere import dataset_on
from runyard.errors import CheckpointError, DataError
from runyard.training.other_driver import refuse_other_driver
from runyard.training.workers import ALONE
from tests.shared_work import done_once
from tests.training.clusters import run_cluster
from tests.training.trainings import X, Y, rows
from tests.training.worker_cases import DIFFERENT, SAME

_EPOCHS, _BATCHES = 5, 10


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a worker has written that ran all cases with another one and two parameter servers."""

    def work(folder: Path) -> None:
        layout = Layout(workers=2, ps=2, chief=False)
        threads = {"TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "1"}
        run_cluster("tests.training.server_cases", folder, layout=layout, timeout=400, **threads)

    return done_once("parameter_servers", work, factory=tmp_path_factory)


def read(folder: Path, *, name: str, keras: int) -> dict[str, Any]:
    with np.load(folder / f"{name} keras{keras}.npz") as file:
        return dict(file)


@pytest.mark.slow
def test_nothing_is_lost_that_workers_count_at_the_same_time(keras: Any, folder: Path) -> None:
    found = read(folder, name="counted", keras=keras)
    assert found["step"] == _EPOCHS * _BATCHES
    assert found["iterations"] == _EPOCHS * _BATCHES
    hits = float(found["accuracy"]) * len(Y)
    assert hits == pytest.approx(round(hits), abs=1e-4)
    assert 0 < float(found["loss"]) < 1


@pytest.mark.slow
def test_variables_and_what_optimizers_remember_are_on_the_servers(keras: Any, folder: Path) -> None:
    assert read(folder, name="counted", keras=keras)["elsewhere"]


@pytest.mark.slow
def test_a_variable_goes_to_the_server_that_holds_least(folder: Path) -> None:
    with np.load(folder / "placed.npz") as file:
        large, small, next_one = (str(file[name]) for name in "012")
    assert large != small == next_one


@pytest.mark.slow
def test_a_checkpoint_of_the_middle_goes_on_to_the_same_weights(keras: Any, folder: Path) -> None:
    found = read(folder, name="gone back", keras=keras)
    assert found["apart"] < 1e-6
    assert found["step"] == 3 * _BATCHES


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SAME, *DIFFERENT])
def test_one_worker_gives_what_one_process_gives(name: str, keras: Any, folder: Path) -> None:
    found = read(folder, name=name, keras=keras)
    expected = {**SAME, **DIFFERENT}[name].run(keras)
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        np.testing.assert_allclose(found[key], value, atol=1e-5, rtol=1e-5, err_msg=key)


def test_a_dataset_is_the_same_on_another_device() -> None:
    factor = tf.Variable(tf.constant(2.0))

    def made() -> Any:
        return rows(X, Y).shuffle(5, seed=3).map(lambda x, y: (factor * x, y))

    copy = dataset_on("CPU:0", made())
    assert copy.element_spec == made().element_spec
    for mine, theirs in zip(made(), copy, strict=True):
        np.testing.assert_array_equal(mine[0], theirs[0])


def test_a_dataset_that_runs_python_cannot_be_sent() -> None:
    dataset = rows(X).map(lambda x: tf.numpy_function(lambda value: value, [x], tf.float32))
    with pytest.raises(DataError, match="runs Python"):
        dataset_on("CPU:0", dataset)


def test_a_checkpoint_of_parameter_servers_is_refused_without_them() -> None:
    values = {"data": {"each": [{}, {}]}}
    with pytest.raises(CheckpointError, match=r"parameter servers and 2 workers.* without") as caught:
        refuse_other_driver(values, workers=ALONE, where="here")
    assert "--workers 2 --ps 1" in str(caught.value.hint)
    refuse_other_driver({"data": {"epoch": 1}}, workers=ALONE, where="here")
