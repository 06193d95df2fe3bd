"""A run that goes on with fewer workers than it began with: the same steps on the same rows."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runyard.config import JobRequest
from runyard.runner.assembly import assemble
from runyard.runner.plan import plan_job
from runyard.runner.train import TrainOptions
from runyard.script import Task
from runyard.training.division import Division
from tests.runner.jobs import SCRIPT, metrics, train_here, trained, weights, write_job

pytestmark = pytest.mark.slow

_LOST = '''

def awf_create_model_fn():
    inputs = KERAS.Input((6,))
    hidden = KERAS.layers.Dense(8, activation="relu")(inputs)
    return KERAS.Model(inputs, KERAS.layers.Dense(1, activation="sigmoid", name="out")(hidden))


class Lost:
    """The last of so many workers dies at a step, as often as it comes there, before or after a checkpoint was made.

    JOB_LOST names all three.
    """

    def on_steps(self, run):
        place = json.loads(os.environ.get("TF_CONFIG") or '{"cluster": {"worker": [0]}, "task": {"index": 0}}')
        workers = len(place["cluster"]["worker"])
        for count, step, saved in json.loads(os.environ.get("JOB_LOST", "[]")):
            if (workers, place["task"]["index"]) == (count, count - 1) and run.step >= step:
                folder = pathlib.Path(os.environ["JOB_WEIGHTS"]).parent / "checkpoints"
                while saved and not list(folder.glob("step-*")):
                    time.sleep(0.05)
                os.kill(os.getpid(), signal.SIGKILL)

    def on_train_end(self, run):
        if run.is_chief:
            np.savez(os.environ["JOB_WEIGHTS"], *run.model.get_weights())


def awf_observers_fn():
    return [Lost()]
'''

_ELASTIC = (
    SCRIPT[: SCRIPT.index("\n\nclass Watcher")].replace(
        "import os\n", "import json\nimport os\nimport pathlib\nimport time\n", 1
    )
    + _LOST
)


def write(folder: Path, **options: Any) -> Path:
    checkpoint = {"every_steps": 3, "every_epochs": None}
    detail = {"train_data_args": {"rows": 193}, "num_workers": options.pop("num_workers", 1)}
    return write_job(folder, script=_ELASTIC, detail=detail, **{"checkpoint": checkpoint, **options})


def assert_same(job: Path, reference: Path) -> None:
    """Weights, and losses and metrics of all rows: a row that was lost or doubled would show in both."""
    for one, other in zip(weights(job), weights(reference), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)
    lines = list(zip(metrics(job), metrics(reference), strict=True))
    assert len(lines) == 3
    for mine, expected in lines:
        assert mine.keys() == expected.keys()
        for key, value in expected.items():
            np.testing.assert_allclose(mine[key], value, atol=1e-5, err_msg=key)


@pytest.mark.parametrize(
    ("keras", "workers", "lost"),
    [(2, 2, [(2, 5, True)]), (3, 3, [(3, 2, False), (2, 5, True)])],
    ids=["keras2", "keras3"],
)
def test_a_job_without_its_lost_workers_ends_as_one_process_would(
    keras: int, workers: int, lost: list[tuple[int, int, bool]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOB_KERAS", str(keras))
    job = write(tmp_path / "job", num_workers=workers, batch_size=12, restart={"min_workers": 1, "max_restarts": 0})
    done = trained(job, JOB_LOST=json.dumps(lost))
    for count, *_ in lost:
        assert f"worker {count - 1} was killed by SIGKILL; restart.max_restarts is 0; going on" in done.stderr
        assert f"with {count - 1} of {count} workers" in done.stderr
    assert f"This run began with {workers} workers and goes on with 1, which does the work of all" in done.stderr
    assert "Going on from the checkpoint at step" in done.stderr
    assert json.loads((job.parent / "checkpoints" / "run.json").read_text())["shards"] == workers
    reference = write(tmp_path / "reference", batch_size=12 * workers)
    monkeypatch.setenv("JOB_WEIGHTS", str(reference.parent / "weights.npz"))
    train_here(reference)
    assert_same(job, reference)


_ENDLESS = (
    _ELASTIC
    + """

def awf_create_val_dataset_fn():
    return dataset(50, 1).repeat()
"""
)


@pytest.mark.parametrize("keras", [2, 3])
def test_a_process_with_two_shards_of_endless_data_reads_as_many_rows_of_each(
    keras: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOB_KERAS", str(keras))
    found: list[Any] = []
    for shards in (1, 2):
        detail = {"train_data_args": {"rows": 100, "kind": "endless"}}
        sizes = {"batch_size": 32 // shards, "num_samples": 96, "num_val_samples": 48, "epochs": 2}
        job = write_job(tmp_path / str(shards), script=_ENDLESS, detail=detail, **sizes)
        monkeypatch.setenv("JOB_WEIGHTS", str(job.parent / "weights.npz"))
        plan = plan_job(JobRequest(job_file=job), tasks={Task.TRAIN})
        made = assemble(plan, seed=5, directory=None, options=TrainOptions(), division=Division(shards=shards))
        with made.active():
            outcome = made.fit()
        assert outcome.step == 6
        found.append([*weights(job), *outcome.results.values()])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)
