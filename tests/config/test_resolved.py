import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runyard.config import JobPaths, resolved_job

from .jobs import EXAMPLE_FILES, check_text, job_of, with_train_args

PATHS = JobPaths(pack=Path("/pack"), data=Path("/data"))


def shown(data: object) -> dict[str, Any]:
    job: Any = resolved_job(job_of(data, factories=None), PATHS)["job"]
    return job


def shown_train_args(**written: Any) -> dict[str, Any]:
    return shown(with_train_args(**written))["job_detail"]["train_args"]


@pytest.mark.parametrize("file", EXAMPLE_FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_the_examples_resolve_as_recorded(file: Path, matches_golden: Callable[[str, str], None]):
    job = check_text(file.read_text(encoding="utf-8"), factories=None).job
    assert job is not None
    text = json.dumps(resolved_job(job, PATHS), indent=1, ensure_ascii=False) + "\n"
    matches_golden(f"resolved/{file.parent.name}_{file.name}", text)


@pytest.mark.parametrize(
    "train_args",
    [
        {},
        {"losses": "bce", "metrics": "auc", "optimizer": "sgd"},
        {"losses": ["mse", {"type": "mae", "weight": 2}], "metrics": [["auc"], "mse", []]},
        {"losses": {"a": "mse"}, "metrics": {"a": "auc", "b": ["mse", {"type": "auc", "args": {"name": "x"}}]}},
        {"metrics": [], "weighted_metrics": ["auc", "mse"]},
        {"checkpoint": {"every_seconds": None, "every_epochs": None}},
        {"tensorboard": {"profile_batch": 5, "write_grads": True}, "early_stopping": {}, "train_speed_logger": {}},
        {"batch_size": -1, "epochs": 0, "train_type": "custom_loop", "nni_search": {"a": [1]}, "version": None},
        {"model_call_exclude_input_index": "uid", "validation": {"model_call_exclude_input_index": 0}, "ema": {}},
        {"optimizer": {"type": "adam", "args": {"lr": {"type": "constant", "args": {"learning_rate": 1}}}}},
    ],
)
def test_what_is_shown_loads_as_the_same_job(train_args: dict[str, Any]):
    data = with_train_args(**train_args)
    assert job_of(shown(data), factories=None) == job_of(data)
    assert shown(shown(data)) == shown(data)


def test_defaults_are_filled_in():
    assert shown_train_args()["batch_size"] == 128
    assert shown_train_args()["checkpoint"] == {"every_seconds": 600, "every_epochs": 1, "keep": 3}
    assert shown_train_args()["optimizer"] == [{"type": "adam", "args": {}}]


def test_short_forms_are_written_out():
    written = shown_train_args(losses="mse", metrics={"a": "auc"}, tensorboard={"profile_batch": 7})
    assert written["losses"] == [{"type": "mse", "args": {}, "weight": 1.0}]
    assert written["metrics"] == {"a": [{"type": "auc", "args": {}}]}
    assert written["tensorboard"]["profile_batch"] == [7, 7]


def test_keys_without_meaning_are_shown_only_if_they_were_written():
    assert "train_type" not in shown_train_args()
    assert shown_train_args(train_type="custom_loop")["train_type"] == "custom_loop"


def test_null_is_shown_only_where_it_is_not_the_default():
    assert "every_steps" not in shown_train_args()["checkpoint"]
    assert shown_train_args(checkpoint={"every_seconds": None})["checkpoint"]["every_seconds"] is None


def test_variables_and_synonyms_are_gone():
    data = {"script_name": "a.py", "test_args": {"models": "${DATA_PATH}$/m"}, "num_workers": 2}
    resolved = resolved_job(job_of(data), PATHS)
    job: Any = resolved["job"]
    assert (resolved["pack_path"], resolved["data_path"]) == ("/pack", "/data")
    assert job["job_detail"]["eval_args"]["models"] == [{"path": "/data/m"}]
    assert job["num_workers"] == 2
