"""Jobs of two workers, with script and shards made for trouble."""

import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from tests.runner.jobs import SCRIPT, run_training, write_job

_WATCHER = '''

class Trouble:
    """Sends each signal of JOB_SIGNALS once, to the chief or to the other, at the step it names; keeps the weights."""

    def on_steps(self, run):
        for number, step, chief in json.loads(os.environ.get("JOB_SIGNALS", "[]")):
            flag = os.environ["JOB_WEIGHTS"] + f".{step}"
            if run.is_chief == chief and run.step >= step and not os.path.exists(flag):
                open(flag, "w").close()
                os.kill(os.getpid(), number)
                return
        if not run.is_chief and "JOB_RAISES" in os.environ:
            raise ValueError("trouble of the user")

    def on_train_end(self, run):
        np.savez(os.environ["JOB_WEIGHTS"] + ("" if run.is_chief else ".other"), *run.model.get_weights())


def awf_observers_fn():
    return [Trouble()]


def awf_create_val_dataset_fn(is_chief):
    def rows():
        for number, row in enumerate(dataset(300, 1).as_numpy_iterator()):
            flag = os.environ["JOB_WEIGHTS"] + ".validation"
            if number == 99 and not is_chief and "JOB_ENDS_IN_VALIDATION" in os.environ and not os.path.exists(flag):
                open(flag, "w").close()
                os.kill(os.getpid(), 15)
            yield row
    return tf.data.Dataset.from_generator(rows, output_signature=dataset(1, 1).element_spec)
'''

WORKERS_SCRIPT = (
    SCRIPT[: SCRIPT.index("\n\nclass Watcher")].replace("import os\n", "import json\nimport os\n", 1) + _WATCHER
)


def write(folder: Path, *, script: str = WORKERS_SCRIPT, **train_args: Any) -> Path:
    """A job of uneven shards (7 and 6 batches). Its first checkpoint is where the data of worker 1 have ended."""
    detail = {"num_workers": 2, "train_data_args": {"rows": 193}}
    checkpoint = {"every_steps": 6, "every_epochs": None}
    return write_job(folder, script=script, detail=detail, **{"checkpoint": checkpoint, **train_args})


def run(job: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_training(job, *options, **{"JOB_KERAS": "3", **environment})


def weights(job: Path, *, name: str = "weights.npz") -> list[Any]:
    with np.load(job.parent / name) as file:
        return [file[key] for key in file.files]
