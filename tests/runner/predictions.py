"""Jobs that predict."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from runyard.config import JobRequest
from runyard.runner.predict import PredictOptions, PredictResult, predict

SCRIPT = """
import numpy as np
import tensorflow as tf


def awf_create_predict_dataset_fn(form, rows=None):
    with np.load("inputs.npz", allow_pickle=False) as file:
        arrays = {name: file[name][:rows] for name in file.files}
    first = next(iter(arrays.values()))
    elements = {
        "x": lambda: first,
        "dict": lambda: arrays,
        "tuple": lambda: (tuple(arrays.values()),),
        "labelled": lambda: (first, first[:, 0]),
        "endless": lambda: first,
    }[form]()
    data = tf.data.Dataset.from_tensor_slices(elements)
    return data.repeat() if form == "endless" else data
"""


def write_predict_job(
    folder: Path,
    *,
    model: Any = None,
    inputs: dict[str, Any] | None = None,
    form: str = "x",
    script: str = SCRIPT,
    data_args: dict[str, Any] | None = None,
    **predict_args: Any,
) -> Path:
    """A job beside its script, its model (`model.keras`) and its inputs."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "script.py").write_text(script)
    if model is not None:
        model.save(folder / "model.keras")
    if inputs is not None:
        np.savez(folder / "inputs.npz", **inputs)
    job = {
        "script_name": "script.py",
        "predict_data_args": {"form": form} if data_args is None else data_args,
        "predict_args": {"model_path": "model.keras", "batch_size": 4, **predict_args},
    }
    (folder / "job.json").write_text(json.dumps(job))
    return folder / "job.json"


def predicted(job: Path, options: PredictOptions | None = None) -> PredictResult:
    return predict(JobRequest(job_file=job), options or PredictOptions())


def hidden(folder: Path) -> list[str]:
    """What an unfinished prediction has left."""
    return sorted(path.name for path in folder.iterdir() if path.name.startswith(".predict"))
