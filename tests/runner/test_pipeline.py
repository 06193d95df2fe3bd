"""`runyard pipeline`: all that a job describes, in one process."""

import functools
import json
from pathlib import Path
from typing import Any

import pytest
import typer

from runyard.bridge import keras_module
from runyard.checkpoint.record import read_record
from runyard.cli.pipeline import command
from runyard.config import InvalidJob, JobRequest
from runyard.errors import CallbackFailed, RunyardError
from runyard.runner.pipeline import run_pipeline
from runyard.runner.predict import PredictOptions, predict
from runyard.script import Task

pytestmark = pytest.mark.slow

SCRIPT = """
import pathlib
import numpy as np
import tensorflow as tf


def awf_create_model_fn():
    inputs = tf.keras.Input((6,))
    return tf.keras.Model(inputs, tf.keras.layers.Dense(1, activation="sigmoid")(inputs))


def awf_create_train_dataset_fn(rows=64):
    x = np.random.default_rng(0).standard_normal((rows, 6)).astype("float32")
    return tf.data.Dataset.from_tensor_slices((x, (x[:, 0] > 0).astype("float32")))


def awf_create_test_dataset_fn(file=None):
    return awf_create_train_dataset_fn() if file is None else tf.data.TextLineDataset(file)


def awf_create_predict_dataset_fn(rows=5, may_fail=False):
    def made():
        for row in range(rows):
            if row == 40 and pathlib.Path("broken").exists():
                raise ValueError("row 40 cannot be read")
            yield np.full([6], row, "float32")

    if not may_fail:
        return awf_create_train_dataset_fn(rows).map(lambda x, y: x)
    return tf.data.Dataset.from_generator(made, output_signature=tf.TensorSpec([6]))
"""

TRAIN = {"batch_size": 16, "losses": "bce", "metrics": ["auc"]}


def job(folder: Path, **detail: Any) -> Path:
    (folder / "script.py").write_text(SCRIPT)
    path = folder / "job.json"
    path.write_text(json.dumps({"script_name": "script.py", **detail}))
    return path


def run(path: Path, *, fresh: bool = False) -> int:
    try:
        command(job_file=path, fresh=fresh)
    except typer.Exit as done:
        return done.exit_code
    return 0


def results(folder: Path) -> set[str]:
    return {"saved_model", "evaluation.json", "predict.csv"} & {entry.name for entry in folder.iterdir()}


def test_a_job_is_trained_evaluated_and_predicted(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = job(tmp_path, train_args=TRAIN, eval_args={}, predict_args={})
    assert run(path) == 0
    assert results(tmp_path) == {"saved_model", "evaluation.json", "predict.csv"}
    assert len((tmp_path / "predict.csv").read_text().splitlines()) == 6
    shown = capfd.readouterr()
    assert [line for line in shown.err.splitlines() if line.startswith("Part")] == [
        "Part 1 of 3: train.",
        "Part 2 of 3: evaluate.",
        "Part 3 of 3: predict.",
    ]
    assert shown.out.index("Done: 1 epoch") < shown.out.index("model ") < shown.out.index("Done: 5 rows")
    for name in ("evaluation.json", "predict.csv"):
        (tmp_path / name).unlink()
    assert run(path) == 0
    assert "This run is finished" in capfd.readouterr().err
    assert results(tmp_path) == {"saved_model", "evaluation.json", "predict.csv"}


def test_without_a_trained_model_nothing_else_runs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = job(tmp_path, train_args=TRAIN, train_data_args={"rows": 0}, eval_args={}, predict_args={})
    assert run(path) == 5
    assert results(tmp_path) == set()
    said = capfd.readouterr().err
    assert "error: the training set is empty" in said
    assert "Without a trained model there is nothing to evaluate or predict with." in said


def test_a_prediction_does_not_wait_for_an_evaluation(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = job(tmp_path, train_args=TRAIN, test_data_args={"file": "gone.csv"}, predict_data_args={"rows": 3})
    assert run(path) == 5
    assert results(tmp_path) >= {"saved_model", "predict.csv"}
    said = capfd.readouterr().err
    assert said.index("Part 2 of 3: evaluate.") < said.index("error: ") < said.index("Part 3 of 3: predict.")


def test_a_mistake_in_the_last_part_is_found_before_the_first_one_starts(tmp_path: Path) -> None:
    path = job(tmp_path, train_args=TRAIN, predict_data_args={"row": 3})
    with pytest.raises(InvalidJob, match="rows"):
        run(path)
    assert not (tmp_path / "checkpoints").exists()


@pytest.mark.parametrize(
    ("eval_args", "words"),
    [
        ({"baseline": "onlin"}, "eval_args.baseline: no model .*\n  received: 'onlin'\n  did you mean 'online'"),
        ({"baseline": "gone"}, "allowed:  new, online"),
        ({"models": "${ONLINE_MODEL}$"}, "nothing says where the online model is"),
        ({"output_file": "."}, "it is a directory"),
    ],
)
def test_a_comparison_that_makes_no_sense_is_refused_before_the_training(
    tmp_path: Path, eval_args: dict[str, Any], words: str
) -> None:
    models = [{"name": "new", "path": "saved_model"}, {"name": "online", "path": "online"}]
    path = job(tmp_path, train_args=TRAIN, eval_args={"models": models, **eval_args})
    with pytest.raises(RunyardError, match=words):
        run(path)
    assert not (tmp_path / "checkpoints").exists()


def test_a_model_to_compare_with_that_is_missing_is_told_before_the_training(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    models = [{"name": "new", "path": "saved_model/best"}, {"name": "online", "path": "online"}]
    path = job(tmp_path, train_args=TRAIN, eval_args={"models": models, "baseline": "online"})
    done: list[Task] = []
    parts = {task: functools.partial(_note, done, task) for task in (Task.TRAIN, Task.EVALUATE)}
    assert run_pipeline(JobRequest(job_file=path), parts, fresh=False) == 0
    said = capfd.readouterr().err
    assert said.startswith(f"note: {tmp_path}/online, which is to be evaluated, does not exist\nPart 1 of 2")
    assert "best" not in said


def test_the_option_says_where_the_online_model_is(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = job(tmp_path, train_args=TRAIN, eval_args={"models": ["saved_model", "${ONLINE_MODEL}$/it"]})
    parts = {task: functools.partial(_note, [], task) for task in (Task.TRAIN, Task.EVALUATE)}
    assert run_pipeline(JobRequest(job_file=path), parts, fresh=False, online_model="served") == 0
    assert f"note: {tmp_path}/served/it, which is to be evaluated, does not exist" in capfd.readouterr().err


def test_only_what_is_described_runs_and_dates_stay_those_of_the_training(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    train = {**TRAIN, "save_path": "model_${DATE:%H%M%S%f}$"}
    assert run(job(tmp_path, train_args=train)) == 0
    assert "Part 1 of 1: train." in capfd.readouterr().err
    record = read_record(tmp_path / "checkpoints")
    assert record is not None
    name = f"model_{record.moment:%H%M%S%f}"
    later = {"eval_args": {"models": "model_${DATE:%H%M%S%f}$"}}
    assert run(job(tmp_path, train_args=train, **later)) == 0
    (found,) = json.loads((tmp_path / "evaluation.json").read_text())["eval_results"]
    assert found[1] == str(tmp_path / name)


def test_the_precision_of_a_training_ends_with_it(tmp_path: Path) -> None:
    path = job(tmp_path, train_args={**TRAIN, "mix_precision": True}, predict_args={})
    assert run(path) == 0
    assert keras_module(2).mixed_precision.global_policy().name == "float32"


def test_a_prediction_goes_on_where_it_stopped_if_all_is_as_it_was(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    detail = {"train_args": TRAIN, "predict_data_args": {"rows": 60, "may_fail": True}}
    path = job(tmp_path, **detail, predict_args={"batch_size": 4})
    assert run(path) == 0
    whole = (tmp_path / "predict.csv").read_bytes()

    def stop_halfway() -> None:
        (tmp_path / "broken").touch()
        with pytest.raises(CallbackFailed, match="row 40 cannot be read"):
            predict(JobRequest(job_file=path), PredictOptions(commit_seconds=0.0))
        (tmp_path / "broken").unlink()
        capfd.readouterr()

    stop_halfway()
    assert run(path) == 0
    assert "Going on after row" in capfd.readouterr().err
    assert (tmp_path / "predict.csv").read_bytes() == whole
    stop_halfway()
    job(tmp_path, **detail, predict_args={"batch_size": 5})
    assert run(path) == 0
    said = capfd.readouterr().err
    assert "since the prediction began: predict_args.batch_size: starting with the first row" in said
    assert len((tmp_path / "predict.csv").read_text().splitlines()) == 61
    stop_halfway()
    assert run(path, fresh=True) == 0
    assert "Going on after row" not in capfd.readouterr().err


def test_of_several_members_the_chief_alone_does_what_needs_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = job(tmp_path, train_args=TRAIN, eval_args={}, predict_args={})
    cluster = {"worker": ["10.0.0.1:2222", "10.0.0.2:2222"]}
    done: dict[int, list[Task]] = {}
    for index in (0, 1):
        monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": {"type": "worker", "index": index}}))
        done[index] = []
        parts = {task: functools.partial(_note, done[index], task) for task in Task}
        assert run_pipeline(JobRequest(job_file=path), parts, fresh=True) == 0
    assert done == {0: list(Task), 1: [Task.TRAIN]}


def _note(done: list[Task], task: Task, request: JobRequest) -> int:
    done.append(task)
    return 0
