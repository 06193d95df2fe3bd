"""What is known about a job before TensorFlow is imported."""

import json
from pathlib import Path
from typing import Any

import pytest

from runyard.config import InvalidJob, JobRequest
from runyard.runner.plan import Plan, plan_job
from runyard.script import Task

SCRIPT = """
def awf_create_model_fn(): ...
def awf_create_train_dataset_fn(): ...
def awf_create_test_dataset_fn(): ...
"""


def plan(tmp_path: Path, job: dict[str, Any], *, script: str = SCRIPT, **options: Any) -> Plan:
    (tmp_path / "script.py").write_text(script)
    (tmp_path / "job.json").write_text(json.dumps({"script_name": "script.py", **job}))
    return plan_job(JobRequest(job_file=tmp_path / "job.json"), **options)


def problems(tmp_path: Path, job: dict[str, Any], **options: Any) -> str:
    with pytest.raises(InvalidJob) as caught:
        plan(tmp_path, job, **options)
    return str(caught.value)


def test_a_job_does_what_its_file_describes(tmp_path: Path) -> None:
    assert plan(tmp_path, {"train_args": {"losses": "mse"}}).tasks == {Task.TRAIN}
    assert plan(tmp_path, {"eval_args": {"metrics": "auc"}}).tasks == {Task.EVALUATE}
    both = {"train_args": {"losses": "mse"}, "test_data_args": {}}
    assert plan(tmp_path, both).tasks == {Task.TRAIN, Task.EVALUATE}


def test_a_training_without_train_args_or_losses_is_refused(tmp_path: Path) -> None:
    assert "'train_args' is missing" in problems(tmp_path, {})
    assert "'losses' is missing" in problems(tmp_path, {"train_args": {}})


def test_several_optimizers_need_groups(tmp_path: Path) -> None:
    job = {"train_args": {"losses": "mse", "optimizer": ["adam", "sgd"]}}
    assert "awf_group_trainable_vars_fn" in problems(tmp_path, job)
    assert plan(tmp_path, job, script=SCRIPT + "def awf_group_trainable_vars_fn(model): ...\n").job


def test_optimizers_that_disagree_on_pcgrad_are_refused(tmp_path: Path) -> None:
    job = {"train_args": {"losses": "mse", "optimizer": [{"type": "adam", "grad_process": "pcgrad"}, "sgd"]}}
    script = SCRIPT + "def awf_group_trainable_vars_fn(model): ...\n"
    assert "grad_process" in problems(tmp_path, job, script=script)


def test_a_plain_trainers_job_is_told_where_to_go(tmp_path: Path) -> None:
    assert "runyard run" in problems(tmp_path, {"trainer": "plain", "train_args": {"losses": "mse"}})


def test_settings_that_nothing_heeds_are_told(tmp_path: Path) -> None:
    several = {"mw_com": "RING", "restart": {"min_workers": 1}, "var_partition_policy": "fixed"}
    job = {"train_args": {"losses": "mse", **several}}
    alone = "\n".join(plan(tmp_path, job).remarks)
    for name in ("train_args.mw_com", "train_args.restart:", "var_partition"):
        assert name in alone
    assert "restart.min_workers" not in alone
    together = "\n".join(plan(tmp_path, {**job, "num_workers": 4}).remarks)
    assert "mw_com" not in together
    assert "train_args.restart:" not in together
    driven = "\n".join(plan(tmp_path, {**job, "num_pss": 2}).remarks)
    assert "mw_com: with parameter servers" in driven
    assert "restart.min_workers: with parameter servers" in driven
    assert "train_args.restart:" not in driven


def test_a_job_that_goes_on_with_more_workers_than_it_has_is_refused(tmp_path: Path) -> None:
    job = {"train_args": {"losses": "mse", "restart": {"min_workers": 5}}}
    said = problems(tmp_path, {**job, "num_workers": 4})
    assert "train_args.restart.min_workers: a job cannot go on with more workers than it has" in said
    assert "received: 5, with num_workers 4\n  allowed:  1 to 4" in said
    assert plan(tmp_path, {**job, "num_workers": 5}).remarks == ()
    told = JobRequest(job_file=tmp_path / "job.json").with_option("--workers", 2, key="num_workers")
    with pytest.raises(InvalidJob, match="received: 5, with --workers 2\n  allowed:  1 to 2"):
        plan_job(told)
    no_effect = ("train_args.restart: it concerns several workers, and this job has one",)
    assert plan(tmp_path, job).remarks == no_effect  # a platform may say how many there are
    assert plan(tmp_path, {**job, "num_workers": 1}).remarks == no_effect


def test_what_parameter_servers_cannot_do_is_refused(tmp_path: Path) -> None:
    compiled = {"losses": "mse", "jit_compile": True}
    assert "XLA" in problems(tmp_path, {"num_pss": 1, "train_args": compiled})
    assert plan(tmp_path, {"num_pss": 0, "train_args": compiled})
    assert "devices" in problems(tmp_path, {"num_pss": 1, "train_args": {"losses": "mse", "devices": 2}})


def test_problems_of_file_and_script_come_together(tmp_path: Path) -> None:
    text = problems(tmp_path, {"train_args": {"epochs": "x"}, "model_args": {"size": 3}, "nonsense": 1})
    for part in ("epochs", "takes no 'size'", "unknown key 'nonsense'"):
        assert part in text


def test_a_path_with_a_nul_character_is_refused(tmp_path: Path) -> None:
    assert "NUL" in problems(tmp_path, {"train_args": {"losses": "mse", "save_path": "a\0b"}})


_DIVIDES = "def awf_create_train_dataset_fn(num_shards, shard_index{more}): ...\n"


@pytest.mark.parametrize(("written", "nearest"), [("FIEL", "FILE"), ("date", "DATA"), (3, None)])
def test_a_shard_policy_that_there_is_not_is_refused_before_anything_runs(
    tmp_path: Path, written: object, nearest: str | None
) -> None:
    job = {"train_args": {"losses": "mse"}, "train_data_args": {"shard_policy": written}}
    found = problems(tmp_path, job)
    assert "train_data_args.shard_policy" in found
    assert "AUTO, DATA, FILE, OFF" in found
    assert nearest is None or f"did you mean '{nearest}'" in found


def test_shard_policies_of_other_tasks_and_in_small_letters_are_none_of_its_business(tmp_path: Path) -> None:
    job = {
        "train_args": {"losses": "mse"},
        "train_data_args": {"shard_policy": "file"},
        "test_data_args": {"shard_policy": "no such"},
    }
    assert plan(tmp_path, job, tasks={Task.TRAIN}).remarks == ()


def test_a_callback_that_divides_its_data_itself_heeds_no_policy_but_its_own(tmp_path: Path) -> None:
    job = {"train_args": {"losses": "mse"}, "train_data_args": {"shard_policy": "FILE"}}
    (remark,) = plan(tmp_path, job, script=SCRIPT + _DIVIDES.format(more="")).remarks
    assert remark.startswith("train_data_args.shard_policy: awf_create_train_dataset_fn takes num_shards")
    job["train_data_args"] = {"shard_policy": "by hand"}
    assert plan(tmp_path, job, script=SCRIPT + _DIVIDES.format(more=", shard_policy")).remarks == ()
