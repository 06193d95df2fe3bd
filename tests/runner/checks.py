"""Small jobs to check."""

import json
import textwrap
from pathlib import Path
from typing import Any

from runyard.config import JobRequest
from runyard.errors import RunyardError
from runyard.runner.check import CheckReport, check_job
from runyard.runner.plan import plan_job

MODEL = """
def awf_create_model_fn():
    return tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1, activation="sigmoid")])
"""
DATA = """
def awf_create_train_dataset_fn():
    return tf.data.Dataset.from_tensor_slices((tf.ones((64, 4)), tf.ones((64,))))
"""


def check(tmp_path: Path, script: str, **train_args: Any) -> CheckReport:
    (tmp_path / "script.py").write_text("import tensorflow as tf\n" + textwrap.dedent(script))
    train_args = {"losses": "bce", "batch_size": 16, **train_args}
    job = {"script_name": "script.py", "train_args": train_args}
    (tmp_path / "job.json").write_text(json.dumps(job))
    return check_job(plan_job(JobRequest(job_file=tmp_path / "job.json")))


def only_problem(report: CheckReport) -> RunyardError:
    assert len(report.problems) == 1, report.problems
    return report.problems[0]
