"""What `check` finds in validation, test and predict data."""

import json
import textwrap
from pathlib import Path

import pytest

from runyard.config import JobRequest
from runyard.errors import CallbackFailed, DataError
from runyard.runner.check import check_job
from runyard.runner.plan import plan_job
from tests.runner.checks import DATA, MODEL, check, only_problem


def test_validation_runs_on_the_saved_model_when_only_that_fits(tmp_path: Path) -> None:
    script = """
    def awf_create_model_fn():
        inner = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
        a, b = tf.keras.Input((4,)), tf.keras.Input((4,))
        model = tf.keras.Model((a, b), tf.sigmoid(inner(a) - inner(b)))
        model.inner = inner
        return model

    def awf_model_to_save_fn(model):
        return model.inner

    def awf_create_train_dataset_fn():
        x = tf.ones((64, 4))
        return tf.data.Dataset.from_tensor_slices(((x, x), tf.ones((64, 1))))

    def awf_create_val_dataset_fn():
        return tf.data.Dataset.from_tensor_slices((tf.ones((64, 4)), tf.ones((64, 1))))
    """
    report = check(tmp_path, script, metrics="mse")
    assert report.problems == []
    assert "validation runs on the model of awf_model_to_save_fn" in report.remarks
    assert ("metric", "val_mse") in {(row.part, row.name) for row in report.rows}


def test_validation_data_are_read_even_without_a_model(tmp_path: Path) -> None:
    script = DATA + "\ndef awf_create_model_fn():\n    return 1 / 0\n"
    script += DATA.replace("awf_create_train_dataset_fn", "awf_create_val_dataset_fn").replace("64", "0")
    report = check(tmp_path, script)
    assert [type(problem) for problem in report.problems] == [CallbackFailed, DataError]
    assert "the val dataset is empty" in str(report.problems[1])


def test_every_validation_set_is_tried(tmp_path: Path) -> None:
    validation = """
    def awf_create_val_dataset_fn():
        good = tf.data.Dataset.from_tensor_slices((tf.ones((8, 4)), tf.ones((8,))))
        return {"narrow": good.map(lambda x, y: (x[:3], y)), "good": good, "labels": good.map(lambda x, y: (x, x))}
    """
    report = check(tmp_path, MODEL + DATA + textwrap.dedent(validation), metrics="auc")
    first = [str(problem).splitlines()[0] for problem in report.problems]
    assert len(first) == 2
    assert "fits no model" in first[0]
    assert "the validation set 'labels' cannot be validated" in first[1]
    assert ("metric", "val_auc(good)") in {(row.part, row.name) for row in report.rows}
    assert ("loss", "val_loss(good)") in {(row.part, row.name) for row in report.rows}


def test_first_batches_of_test_and_predict_data_are_shown(tmp_path: Path) -> None:
    others = """
    def awf_create_test_dataset_fn():
        return tf.data.Dataset.from_tensor_slices((tf.ones((8, 4)), tf.ones((8,)))).map(lambda x, y: (x, y))

    def awf_create_predict_dataset_fn():
        return tf.data.Dataset.from_tensor_slices({"id": tf.range(8), "x": tf.ones((8, 4))})
    """
    (tmp_path / "script.py").write_text("import tensorflow as tf\n" + MODEL + DATA + textwrap.dedent(others))
    job = {
        "script_name": "script.py",
        "train_args": {"losses": "bce", "batch_size": 16},
        "eval_args": {"batch_size": 4},
        "predict_args": {"batch_size": 2, "row_id_col": "id", "input_squeeze": True},
    }
    (tmp_path / "job.json").write_text(json.dumps(job))
    report = check_job(plan_job(JobRequest(job_file=tmp_path / "job.json")))
    assert report.problems == []
    shown = {(row.part, row.name): row.shape for row in report.rows}
    assert (shown["test", "x"], shown["test", "y"]) == ("(4, 4)", "(4,)")
    assert (shown["predict", "x.id"], shown["predict", "x.x"]) == ("(2,)", "(2, 4)")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("((tf.ones((8, 3)), tf.ones((8,))))", "the test set does not fit the model"),
        ("({'id': tf.range(8), 'x': tf.ones((8, 3))})", "the dataset to predict does not fit the model"),
    ],
)
def test_test_and_predict_data_go_through_the_model_that_would_be_saved(
    tmp_path: Path, wrong: str, message: str
) -> None:
    script = f"""
    def awf_create_test_dataset_fn():
        return tf.data.Dataset.from_tensor_slices({wrong if "test set" in message else "(tf.ones((8, 4)), tf.ones(8))"})

    def awf_create_predict_dataset_fn():
        return tf.data.Dataset.from_tensor_slices({wrong if "predict" in message else "tf.ones((8, 4))"})
    """
    (tmp_path / "script.py").write_text("import tensorflow as tf\n" + MODEL + DATA + textwrap.dedent(script))
    job = {"script_name": "script.py", "train_args": {"losses": "bce"}, "eval_args": {}, "predict_args": {}}
    (tmp_path / "job.json").write_text(json.dumps(job))
    report = check_job(plan_job(JobRequest(job_file=tmp_path / "job.json")))
    assert message in str(only_problem(report))


def test_labels_in_the_predict_set_and_test_sets_that_differ_are_found_together(tmp_path: Path) -> None:
    script = """
    def rows(width):
        return tf.data.Dataset.from_tensor_slices((tf.ones((8, width)), tf.ones((8,))))

    def awf_create_test_dataset_fn():
        return rows(4), rows(5)

    def awf_create_predict_dataset_fn():
        return rows(4)
    """
    (tmp_path / "script.py").write_text("import tensorflow as tf\n" + textwrap.dedent(script))
    job = {"script_name": "script.py", "eval_args": {"metrics": "auc"}, "predict_args": {}}
    (tmp_path / "job.json").write_text(json.dumps(job))
    report = check_job(plan_job(JobRequest(job_file=tmp_path / "job.json")))
    evaluation, prediction = map(str, report.problems)
    assert "the test sets differ in structure" in evaluation
    assert "the dataset to predict has labels" in prediction
