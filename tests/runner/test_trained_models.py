"""Which models count as those that the training of a job has saved."""

import json
from pathlib import Path

import pytest

from runyard.config import JobRequest
from runyard.errors import StorageError
from runyard.runner.model_sources import ModelSource, trained_models
from runyard.runner.plan import plan_job

SCRIPT = """
def awf_create_model_fn(): ...
def awf_create_train_dataset_fn(): ...
def awf_create_test_dataset_fn(): ...
"""


def trained(folder: Path, **job: object) -> list[ModelSource]:
    (folder / "script.py").write_text(SCRIPT)
    path = folder / "job.json"
    path.write_text(json.dumps({"script_name": "script.py", "eval_args": {"metrics": "auc"}, **job}))
    return trained_models(plan_job(JobRequest(job_file=path)))


def save(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).mkdir(parents=True)
        (folder / name / "saved_model.pb").touch()
    lines = [f"{folder / name}|net of {name}\n" for name in names]
    (folder / ".model_train_output").write_text("".join(lines))


TRAINING = {"train_args": {"losses": "mse", "save_path": "mine"}}


def test_the_result_file_names_what_the_job_saved(tmp_path: Path) -> None:
    save(tmp_path, "mine")
    assert trained(tmp_path, **TRAINING) == [ModelSource(tmp_path / "mine", "net of mine")]


def test_the_model_of_another_job_in_the_folder_is_not_taken(tmp_path: Path) -> None:
    save(tmp_path, "mine")
    save(tmp_path, "others")
    assert trained(tmp_path, **TRAINING) == [ModelSource(tmp_path / "mine")]


def test_a_job_that_does_not_train_takes_what_was_trained_last(tmp_path: Path) -> None:
    save(tmp_path, "saved_model")
    save(tmp_path, "others")
    assert trained(tmp_path) == [ModelSource(tmp_path / "others", "net of others")]


def test_a_model_whose_place_has_changed_with_the_date_is_found(tmp_path: Path) -> None:
    save(tmp_path, "yesterday")
    assert trained(tmp_path, **TRAINING) == [ModelSource(tmp_path / "yesterday", "net of yesterday")]


def test_a_result_file_of_what_is_gone_is_not_believed(tmp_path: Path) -> None:
    (tmp_path / ".model_train_output").write_text("/nowhere/model|gone\n")
    with pytest.raises(StorageError, match="there is no trained model"):
        trained(tmp_path, **TRAINING)
