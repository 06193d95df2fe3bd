"""What `check` finds when the job file is right and the script, the model or the data are not."""

import json
import textwrap
from pathlib import Path

import pytest

from runyard.config import JobRequest
from runyard.errors import CallbackFailed, DataError, ModelError, ScriptError, StorageError
from runyard.runner.check import check_job
from runyard.runner.plan import plan_job
from tests.runner.checks import DATA, MODEL, check, only_problem


def test_a_job_that_runs_has_no_problems(tmp_path: Path) -> None:
    report = check(tmp_path, MODEL + DATA, metrics=["auc", "accuracy", "f1"])
    assert report.problems == []
    assert report.exit_code == 0
    rows = {(row.part, row.name): row for row in report.rows}
    assert rows["train", "x"].shape == "(16, 4)"
    assert {"auc", "accuracy", "f1"} <= {name for part, name in rows if part == "metric"}
    assert rows["optimizer", "adam"].value == "2 variables, 5 numbers"


def test_a_failing_callback_shows_the_users_traceback(tmp_path: Path) -> None:
    script = DATA + "\ndef awf_create_model_fn():\n    return 1 / 0\n"
    problem = only_problem(check(tmp_path, script))
    assert isinstance(problem, CallbackFailed)
    assert "calling awf_create_model_fn" in str(problem)
    assert "return 1 / 0" in str(problem)
    assert "runyard/script" not in str(problem)


def test_a_callback_that_takes_batch_size_and_makes_no_batches_is_told(tmp_path: Path) -> None:
    single = DATA.replace("_fn():", "_fn(batch_size):")
    problem = only_problem(check(tmp_path, MODEL + single))
    assert isinstance(problem, DataError)
    assert "awf_create_train_dataset_fn takes `batch_size` but returns single rows" in problem.message
    assert "add .batch(batch_size)" in str(problem.hint)
    batched = single.replace("ones((64,))))", "ones((64,)))).batch(batch_size, drop_remainder=True)")
    assert check(tmp_path, MODEL + batched).problems == []


def test_model_and_data_problems_are_found_in_one_go(tmp_path: Path) -> None:
    script = """
    def awf_create_model_fn():
        raise RuntimeError("no model today")

    def awf_create_train_dataset_fn():
        return tf.data.Dataset.from_tensor_slices((tf.ones((0, 4)), tf.ones((0,))))
    """
    report = check(tmp_path, script)
    assert [type(problem) for problem in report.problems] == [CallbackFailed, DataError]
    assert "is empty" in str(report.problems[1])


@pytest.mark.parametrize("returned", ["None", "'a model'", "tf.keras.layers.Dense(1)"])
def test_something_else_than_a_model_is_refused(tmp_path: Path, returned: str) -> None:
    problem = only_problem(check(tmp_path, DATA + f"\ndef awf_create_model_fn():\n    return {returned}\n"))
    assert isinstance(problem, ScriptError)
    assert "expected a Keras model" in str(problem)


def test_something_else_than_a_dataset_is_refused(tmp_path: Path) -> None:
    script = MODEL + "\ndef awf_create_train_dataset_fn():\n    return [1, 2, 3]\n"
    problem = only_problem(check(tmp_path, script))
    assert isinstance(problem, ScriptError)
    assert "returned list, expected a tf.data.Dataset" in str(problem)


def test_data_that_does_not_fit_the_model_says_what_came_and_what_was_expected(tmp_path: Path) -> None:
    script = MODEL + DATA.replace("(64, 4)", "(64, 5)")
    problem = only_problem(check(tmp_path, script))
    assert isinstance(problem, DataError)
    assert "(16, 5) float32" in str(problem)
    assert "(None, 4)" in str(problem)


def test_elements_without_labels_are_explained(tmp_path: Path) -> None:
    script = MODEL + "\ndef awf_create_train_dataset_fn():\n    return tf.data.Dataset.from_tensors(tf.ones((4,)))\n"
    assert "expected (x, y)" in str(only_problem(check(tmp_path, script)))


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    script = MODEL + "\ndef awf_create_train_dataset_fn():\n    return tf.data.TextLineDataset('nowhere.csv')\n"
    problem = only_problem(check(tmp_path, script))
    assert isinstance(problem, DataError)
    assert "nowhere.csv" in str(problem)


def test_more_losses_than_outputs_and_a_metric_for_no_output_are_both_found(tmp_path: Path) -> None:
    report = check(tmp_path, MODEL + DATA, losses=["bce", "mse"], metrics={"nothing": "auc"})
    assert [type(problem) for problem in report.problems] == [ModelError, ModelError]


def test_constructor_arguments_that_keras_refuses_are_a_problem(tmp_path: Path) -> None:
    report = check(tmp_path, MODEL + DATA, metrics=[{"type": "auc", "args": {"curve": "XYZ"}}])
    assert "XYZ" in str(only_problem(report))


def test_groups_that_leave_variables_out_are_refused(tmp_path: Path) -> None:
    groups = "\ndef awf_group_trainable_vars_fn(model):\n    return model.trainable_variables[:1], []\n"
    report = check(tmp_path, MODEL + DATA + groups, optimizer=["adam", "sgd"])
    assert "group 1" in str(only_problem(report))


def test_a_loss_and_a_metric_may_be_functions_of_the_script(tmp_path: Path) -> None:
    factories = """
def my_loss(scale, model):
    assert isinstance(model, tf.keras.Model)
    return lambda y_true, y_pred: scale * tf.abs(y_true - y_pred)

def my_metric():
    return tf.keras.metrics.MeanAbsoluteError()
"""
    losses = {"type": "my_loss", "args": {"scale": 2.0}}
    report = check(tmp_path, MODEL + DATA + factories, losses=losses, metrics="my_metric")
    assert report.problems == []


def test_keras_3_models_are_checked_in_the_same_process(tmp_path: Path) -> None:
    script = MODEL.replace("tf.keras", "keras").replace("def awf", "import keras\n\ndef awf") + DATA
    report = check(tmp_path, script, metrics=["auc", "accuracy"], optimizer={"type": "adamw"})
    assert report.problems == []


def test_gauc_takes_the_user_id_from_an_input_that_the_model_does_not_see(tmp_path: Path) -> None:
    data = """
    def awf_create_train_dataset_fn():
        users = tf.repeat(tf.constant(["a", "b"]), 32)
        labels = tf.cast(tf.range(64) % 2, tf.float32)
        return tf.data.Dataset.from_tensor_slices(((users, tf.random.uniform((64, 4))), labels)).shuffle(64)
    """
    report = check(
        tmp_path,
        MODEL + textwrap.dedent(data),
        metrics=[{"type": "gauc", "args": {"user_id_index": 0}}],
        model_call_exclude_input_index=0,
        input_squeeze=True,
    )
    assert report.problems == []
    value = next(row.value for row in report.rows if row.name == "gauc")
    assert 0.0 <= float(value) <= 1.0


def test_an_excluded_input_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    report = check(tmp_path, MODEL + DATA, model_call_exclude_input_index=3)
    assert "one input only" in str(only_problem(report))


def test_a_monitor_that_training_will_not_know_is_found(tmp_path: Path) -> None:
    stopping = {"monitor": "val_aucc"}
    validation = DATA.replace("awf_create_train_dataset_fn", "awf_create_val_dataset_fn")
    report = check(tmp_path, MODEL + DATA + validation, metrics="auc", early_stopping=stopping)
    assert "val_loss, val_auc" in str(only_problem(report))
    for monitor in ("val_auc", "val_loss", "loss", "auc"):
        found = check(tmp_path, MODEL + DATA + validation, metrics="auc", early_stopping={"monitor": monitor})
        assert found.problems == []


def test_an_endless_training_set_needs_num_samples(tmp_path: Path) -> None:
    endless = DATA.replace("tf.ones((64,))))", "tf.ones((64,)))).repeat()")
    assert "num_samples" in str(only_problem(check(tmp_path, MODEL + endless)))
    assert check(tmp_path, MODEL + endless, num_samples=64).problems == []


def test_labels_that_fit_neither_losses_nor_metrics_are_both_told(tmp_path: Path) -> None:
    script = MODEL + DATA.replace("tf.ones((64,))", "tf.ones((64, 3))")
    report = check(tmp_path, script, metrics=["precision"])
    assert [str(problem).splitlines()[0] for problem in report.problems] == [
        "the labels do not fit the losses",
        "the labels do not fit the metrics",
    ]
    assert "labels: (?, 3) float32, outputs: (?, 1) float32" in str(report.problems[0])


def test_a_step_is_one_of_training_with_all_that_a_job_asks_of_it(tmp_path: Path) -> None:
    two = """
    def awf_create_model_fn():
        inputs = tf.keras.Input((4,))
        return tf.keras.Model(inputs, [tf.keras.layers.Dense(1, name=name)(inputs) for name in ("a", "b")])
    """
    report = check(
        tmp_path,
        textwrap.dedent(two) + DATA,
        losses="mse",
        jit_compile=True,
        optimizer={"type": "sgd", "grad_process": "pcgrad"},
        gradient={"accumulate_steps": 2, "clip_norm": 1.0},
        ema={},
    )
    assert report.problems == []
    assert [row.name for row in report.rows if row.part == "loss"] == ["loss", "a_loss", "b_loss"]


@pytest.mark.parametrize("weights", [{"0": 1.0, "2": 1.0}, {"0": 1.0, "1": 2.0}])
def test_class_weights_are_tried(tmp_path: Path, weights: dict[str, float]) -> None:
    report = check(tmp_path, MODEL + DATA, class_weight=weights)
    assert len(report.problems) == ("2" in weights)
    loss = next((row.value for row in report.rows if row.part == "loss"), None)
    assert (loss is None) == ("2" in weights)


def test_rows_are_read_as_training_reads_them(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    mapped = DATA.replace("tf.ones((64,))))", "tf.ones((64,)))).map(lambda x, y: (x * 2.0, y))")
    assert check(tmp_path, MODEL + mapped).problems == []
    assert "row maps vectorised" in capfd.readouterr().err


def test_a_generator_is_left_after_its_first_batch(tmp_path: Path) -> None:
    endless = """
    def awf_create_train_dataset_fn():
        def rows():
            while True:
                yield [1.0] * 4, 1.0
        spec = tf.TensorSpec((4,)), tf.TensorSpec(())
        return tf.data.Dataset.from_generator(rows, output_signature=spec)
    """
    report = check(tmp_path, MODEL + textwrap.dedent(endless), num_samples=64)
    assert report.problems == []
    assert next(row.shape for row in report.rows if (row.part, row.name) == ("train", "x")) == "(16, 4)"


def test_nothing_is_written(tmp_path: Path) -> None:
    validation = DATA.replace("awf_create_train_dataset_fn", "awf_create_val_dataset_fn")
    watcher = """
class Watcher:
    def on_train_begin(self, run):
        raise AssertionError("this is no training")

def awf_observers_fn():
    return [Watcher()]
"""
    script = MODEL + DATA + validation + watcher
    report = check(tmp_path, script, tensorboard={"histogram_freq": 1}, early_stopping={"monitor": "val_loss"})
    assert report.problems == []
    assert {path.name for path in tmp_path.iterdir()} - {"__pycache__"} == {"script.py", "job.json"}


def test_an_observer_that_would_never_be_called_is_found(tmp_path: Path) -> None:
    watcher = """
class Watcher:
    def on_epoch(self, run):
        pass

def awf_observers_fn():
    return [Watcher()]
"""
    assert "on_epoch_end" in str(only_problem(check(tmp_path, MODEL + DATA + watcher)))


def test_a_save_path_that_holds_other_files_is_found(tmp_path: Path) -> None:
    problem = only_problem(check(tmp_path, MODEL + DATA, save_path="."))
    assert isinstance(problem, StorageError)


def test_what_is_saved_is_looked_at(tmp_path: Path) -> None:
    saving = "\ndef awf_model_to_save_fn(model):\n    return [model, 'and a text']\n"
    report = check(tmp_path, MODEL + DATA + saving)
    assert "awf_model_to_save_fn must return" in str(only_problem(report))


def test_environment_variables_of_the_job_are_set_before_the_script_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JOB_SAYS", raising=False)
    script = "import os\nassert os.environ['JOB_SAYS'] == 'hello'\n" + MODEL + DATA
    (tmp_path / "script.py").write_text("import tensorflow as tf\n" + script)
    job = {"script_name": "script.py", "envs": {"JOB_SAYS": "hello"}, "train_args": {"losses": "bce"}}
    (tmp_path / "job.json").write_text(json.dumps(job))
    assert check_job(plan_job(JobRequest(job_file=tmp_path / "job.json"))).problems == []
