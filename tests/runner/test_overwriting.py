"""Result files that would replace the user's own."""

import json
from pathlib import Path

import pytest

from runyard.config import InvalidJob, JobRequest
from runyard.runner.plan import plan_job

SCRIPT = """
def awf_create_test_dataset_fn(file): ...
def awf_create_predict_dataset_fn(files, text=None): ...
"""


def plan(folder: Path, **sections: object) -> None:
    (folder / "script.py").write_text(SCRIPT)
    (folder / "rows.csv").write_text("1,2\n")
    job = {
        "script_name": "script.py",
        "test_data_args": {"file": "rows.csv"},
        "predict_data_args": {"files": ["rows.csv"], "text": "x" * 5000 + "\0"},
        "eval_args": {"metrics": "auc"},
        **sections,
    }
    (folder / "job.json").write_text(json.dumps(job))
    plan_job(JobRequest(job_file=folder / "job.json"))


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("script.py", "the script"),
        ("./job.json", "the job file"),
        ("../{}/rows.csv", "a file that predict_data_args names"),
    ],
)
def test_a_file_of_the_users_is_not_replaced(tmp_path: Path, name: str, what: str) -> None:
    name = name.format(tmp_path.name)
    for section, key in (("predict_args", "result_file"), ("eval_args", "output_file")):
        with pytest.raises(InvalidJob, match=f"{key}: the results would replace {what}"):
            plan(tmp_path, **{section: {key: name, **({"metrics": "auc"} if section == "eval_args" else {})}})


def test_an_earlier_result_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "predict.csv").write_text("old\n")
    plan(tmp_path, predict_args={"result_file": "predict.csv"})
