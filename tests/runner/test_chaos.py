"""Whatever dies at whatever moment: a job ends with the weights of an undisturbed run."""

import os
import time
from pathlib import Path

import pytest

from tests.runner.chaos import Chaos, end, write_chaos_job
from tests.runner.jobs import metrics, same_bits, start_training, wait_until
from tests.runner.worker_jobs import weights

pytestmark = pytest.mark.slow


def seconds_to_first_checkpoint(job: Path) -> float:
    """Trains to the end."""
    started = time.monotonic()
    process = start_training(job, JOB_KERAS="3")
    try:
        wait_until(lambda: bool(list((job.parent / "checkpoints").glob("step-*"))), process)
        seconds = time.monotonic() - started
        said = process.communicate(timeout=600)[1]
    finally:
        end(process)
    assert process.returncode == 0, said
    return seconds


def test_a_job_whose_processes_are_killed_at_random_ends_with_the_bits_of_an_undisturbed_one(tmp_path: Path) -> None:
    """A few kills here; `make chaos` makes it many. The seed of the moments is fixed, the moments are not quite."""
    kills, seed = int(os.environ.get("RUNYARD_KILLS", "3")), int(os.environ.get("RUNYARD_CHAOS_SEED", "2"))
    calm = write_chaos_job(tmp_path / "calm", kills=kills)
    # About half of the kills come while the processes still start.
    pause = 2 * seconds_to_first_checkpoint(calm)
    job = write_chaos_job(tmp_path / "job", kills=kills)
    chaos = Chaos(job, kills=kills, seed=seed, pause=pause)
    done = chaos.run()
    assert done.returncode == 0, (chaos.told, done.stderr)
    assert len(chaos.told) == kills
    assert same_bits(weights(calm), weights(job)), chaos.told
    assert same_bits(weights(calm), weights(job, name="weights.npz.other.npz")), chaos.told
    # Each epoch is there once, with the metrics of all of its rows.
    assert metrics(calm) == metrics(job), chaos.told
    litter = [path.name for path in job.parent.rglob("*") if path.name.endswith((".tmp", ".old"))]
    assert litter == []
