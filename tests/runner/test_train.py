"""`runyard train` on one machine, from the job file to the saved model."""

import contextlib
import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runyard.bridge import start_tensorflow
from runyard.config import JobRequest
from runyard.errors import CallbackFailed, CheckpointError, DataError, ModelError, StorageError, TrainingDiverged
from runyard.runner.train import TrainOptions, TrainResult, train
from tests.runner.jobs import SCRIPT, metrics, run_training, start_training, trained, wait_until, write_job
from tests.small_disk import small_disk

tf = start_tensorflow(2)


@pytest.fixture(autouse=True)
def _weights_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JOB_WEIGHTS", str(tmp_path / "weights.npz"))


def run(job: Path, **options: Any) -> TrainResult:
    return train(JobRequest(job_file=job), TrainOptions(**options))


def final_weights(tmp_path: Path) -> list[Any]:
    with np.load(tmp_path / "weights.npz") as file:
        return [file[name] for name in file.files]


def test_a_training_ends_with_a_model_that_gives_the_outputs_of_the_trained_one(tmp_path: Path) -> None:
    job = write_job(tmp_path / "job")
    result = run(job)
    assert result.models == (str(tmp_path / "job" / "saved_model"),)
    loaded = tf.keras.models.load_model(result.models[0])
    for trained_weight, loaded_weight in zip(final_weights(tmp_path), loaded.get_weights(), strict=True):
        np.testing.assert_array_equal(trained_weight, loaded_weight)
    x = np.ones((3, 6), "float32")
    served = tf.saved_model.load(result.models[0]).signatures["serving_default"]
    (output,) = served(tf.constant(x)).values()
    # A graph may fuse what eager execution does step by step: the last bit may differ.
    np.testing.assert_allclose(output.numpy(), loaded(x).numpy(), rtol=1e-6)
    assert (tmp_path / "job" / ".model_train_output").read_text() == f"{result.models[0]}|{loaded.name}\n"
    record = json.loads((Path(result.models[0]) / "model.json").read_text())
    assert record["metrics"]["val_auc"] == result.results["val_auc"]


def test_a_keras_3_model_is_saved_for_serving_and_for_keras(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import keras

    monkeypatch.setenv("JOB_KERAS", "3")
    result = run(write_job(tmp_path / "job"))
    x = np.ones((3, 6), "float32")
    loaded = keras.saving.load_model(Path(result.models[0]) / "model.keras")
    served = tf.saved_model.load(result.models[0]).signatures["serving_default"]
    (output,) = served(tf.constant(x)).values()
    np.testing.assert_allclose(output.numpy(), np.asarray(loaded(x)), rtol=1e-6)


def test_one_json_object_is_logged_for_each_epoch(tmp_path: Path) -> None:
    job = write_job(tmp_path / "job")
    result = run(job)
    lines = [json.loads(line) for line in (tmp_path / "job" / "metrics.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in lines] == [1, 2, 3]
    assert [line["step"] for line in lines] == [13, 26, 39]
    names = {"epoch", "step", "seconds", "samples_per_second", "loss", "auc", "acc", "val_loss", "val_auc", "val_acc"}
    assert set(lines[0]) == names
    assert lines[-1]["val_auc"] == result.results["val_auc"]
    assert lines[-1]["loss"] < lines[0]["loss"]


def test_fast_dev_run_goes_through_everything_and_keeps_nothing(tmp_path: Path) -> None:
    job = write_job(tmp_path / "job", tensorboard={})
    result = run(job, fast_dev_run=True)
    assert result.step == 2
    assert "val_auc" in result.results
    assert sorted(path.name for path in (tmp_path / "job").iterdir() if path.name != "__pycache__") == [
        "job.json",
        "script.py",
    ]


def test_max_steps_ends_in_the_middle_of_an_epoch_and_can_be_raised(tmp_path: Path) -> None:
    job = write_job(tmp_path / "job")
    assert run(job, max_steps=20).step == 20
    assert run(job, max_steps=20).step == 20
    assert run(job, max_steps=30).step == 30
    assert run(job).step == 39
    straight = write_job(tmp_path / "straight")
    first = final_weights(tmp_path)
    run(straight)
    for a, b in zip(first, final_weights(tmp_path), strict=True):
        np.testing.assert_array_equal(a, b)


def test_overfitting_uses_the_first_batches_only(tmp_path: Path) -> None:
    job = write_job(tmp_path / "job", epochs=30, early_stopping={"monitor": "val_auc"})
    result = run(job, overfit_batches=2)
    assert result.step == 60
    assert "val_loss" not in result.results
    assert not (tmp_path / "job" / "checkpoints").exists()
    assert not (tmp_path / "job" / "saved_model").exists()


def test_an_endless_dataset_needs_num_samples(tmp_path: Path) -> None:
    detail = {"train_data_args": {"kind": "endless"}}
    with pytest.raises(DataError, match="num_samples"):
        run(write_job(tmp_path / "job", detail=detail))
    assert run(write_job(tmp_path / "more", detail=detail, num_samples=100)).step == 21


def test_an_empty_training_set_is_explained(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="empty"):
        run(write_job(tmp_path / "job", detail={"train_data_args": {"rows": 0}}))


def test_a_monitor_that_matches_nothing_is_an_error_before_training(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"val_aucc.*val_auc"):
        run(write_job(tmp_path / "job", early_stopping={"monitor": "val_aucc"}))
    assert not list((tmp_path / "job" / "checkpoints").glob("step-*"))


def test_early_stopping_saves_the_best_weights_and_their_metrics(tmp_path: Path) -> None:
    stopping = {"monitor": "val_loss", "patience": 1}
    optimizer = {"type": "adam", "args": {"learning_rate": 0.2}}
    job = write_job(tmp_path / "job", epochs=40, early_stopping=stopping, optimizer=optimizer)
    result = run(job)
    assert result.epochs < 40
    best = min(metrics(job), key=lambda line: line["val_loss"])
    assert result.results["val_loss"] == best["val_loss"]
    model = tf.keras.models.load_model(result.models[0])
    rng = np.random.default_rng(1)
    x = rng.standard_normal((50, 6)).astype("float32")
    y = (x[:, :1] > 0).astype("float32")
    loss = tf.keras.losses.BinaryCrossentropy()(y, model(x))
    assert float(loss) == pytest.approx(best["val_loss"], rel=1e-5)


def test_nan_ends_the_training_when_asked(tmp_path: Path) -> None:
    optimizer = {"type": "sgd", "args": {"learning_rate": 1e30}}
    job = write_job(tmp_path / "job", losses="mse", optimizer=optimizer, term_on_nan=True)
    with pytest.raises(TrainingDiverged, match="not finite in step"):
        run(job)


def test_a_failing_observer_of_the_user_shows_their_line(tmp_path: Path) -> None:
    script = SCRIPT.replace("np.savez(", "1 / 0; np.savez(")
    with pytest.raises(CallbackFailed, match="1 / 0"):
        run(write_job(tmp_path / "job", script=script))


def test_tensorboard_and_speed_lines_are_written(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    job = write_job(tmp_path / "job", tensorboard={}, train_speed_logger={"every_batches": 5, "with_metrics": True})
    run(job)
    lines = [line for line in capfd.readouterr().err.splitlines() if "rows/s, loss" in line and " batch " in line]
    assert [line.split(":")[0] for line in lines[:3]] == ["epoch 1 batch 5", "epoch 1 batch 10", "epoch 2 batch 2"]
    folders = {path.parent.name for path in (tmp_path / "job" / "summary").rglob("events.*")}
    assert folders == {"train", "validation"}


def test_a_save_path_that_holds_other_files_is_refused_before_training(tmp_path: Path) -> None:
    job = write_job(tmp_path / "job", save_path=".")
    with pytest.raises(StorageError):
        run(job)
    assert not (tmp_path / "job" / "metrics.jsonl").exists()


def test_a_job_that_says_skip_does_nothing(tmp_path: Path) -> None:
    job = write_job(tmp_path / "job", detail={"skip": True})
    assert "skip" in run(job).reason
    assert not (tmp_path / "job" / "checkpoints").exists()


def test_steps_per_call_do_not_change_a_bit(tmp_path: Path) -> None:
    found = []
    for steps in (1, 7, 100, None):
        run(write_job(tmp_path / str(steps), steps_per_execution=steps))
        found.append(final_weights(tmp_path))
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


def ended_by_ctrl_c(process: "subprocess.Popen[str]") -> int:
    """The exit code, after as many of them as it takes: two that come at once may be one."""
    for _ in range(60):
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(timeout=0.5)
    raise AssertionError("it goes on")


@pytest.mark.slow
def test_a_second_ctrl_c_ends_at_once(tmp_path: Path) -> None:
    slow_end = SCRIPT.replace(
        "    def on_train_end",
        "    def on_checkpoint(self, run):\n        import time; time.sleep(60)\n\n    def on_train_end",
    )
    process = start_training(write_job(tmp_path / "job", script=slow_end, epochs=1_000_000))
    try:
        wait_until(lambda: bool(list((tmp_path / "job" / "checkpoints").glob("step-*"))), process)
        assert ended_by_ctrl_c(process) == 130
        assert "ended at once" in process.communicate()[1]
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_a_full_disk_is_one_clear_line_and_the_last_good_checkpoint_stays(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", megabytes=1) as disk:
        job = write_job(tmp_path / "job", ckpt_path=str(disk / "checkpoints"), detail={"model_args": {"units": 4_000}})
        done = run_training(job)
        assert done.returncode == 9, done.stderr
        assert "No space left" in done.stderr or "cannot write" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bits_in_another_process(tmp_path: Path) -> None:
    for name in ("one", "two"):
        trained(write_job(tmp_path / name))
    with np.load(tmp_path / "one" / "weights.npz") as a, np.load(tmp_path / "two" / "weights.npz") as b:
        for name in a.files:
            np.testing.assert_array_equal(a[name], b[name])


def test_random_numbers_that_no_checkpoint_can_hold_are_told_of(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    noisy = SCRIPT.replace(
        "    x = KERAS.layers.BatchNormalization()(x)",
        "    x = KERAS.layers.Lambda(lambda t: t + tf.random.normal(tf.shape(t)))(x)",
    )
    run(write_job(tmp_path / "noisy", script=noisy), max_steps=2)
    assert "tf.random (RandomStandardNormal)" in capfd.readouterr().err
    run(write_job(tmp_path / "quiet"), max_steps=2)
    assert "tf.random" not in capfd.readouterr().err


@pytest.mark.slow
def test_a_signal_during_validation_does_not_wait_for_its_end(tmp_path: Path) -> None:
    slow = SCRIPT.replace(
        "    return dataset(val_rows, 1)",
        "    import time\n"
        "    wait = lambda x: (open('validating', 'w').close(), time.sleep(0.2), x)[2]\n"
        "    data = dataset(val_rows * 100, 1)\n"
        "    return data.map(lambda x, y: (tf.ensure_shape(tf.numpy_function(wait, [x], tf.float32), [6]), y))",
    )
    job = write_job(tmp_path / "job", script=slow, checkpoint={"every_epochs": None})
    process = start_training(job)
    try:
        wait_until((tmp_path / "job" / "validating").exists, process)
        started = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 143
        # 5,000 rows of 0.2 s each would take a quarter of an hour.
        assert time.monotonic() - started < 30
    finally:
        process.kill()
        process.communicate()
    saved = sorted((tmp_path / "job" / "checkpoints").glob("step-*"))
    assert [path.name for path in saved] == ["step-000000000013"]


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    script = SCRIPT.replace(
        "    data = dataset(rows, 0)", "    return tf.data.TextLineDataset('nowhere.csv').map(parse)"
    )
    script += "\n\ndef parse(line):\n    return tf.ones([6]), tf.strings.to_number(line)\n"
    with pytest.raises(DataError, match=r"nowhere\.csv"):
        run(write_job(tmp_path / "job", script=script))


def test_a_generator_that_raises_shows_the_users_line(tmp_path: Path) -> None:
    script = SCRIPT.replace(
        "            for x, y in dataset",
        "            raise KeyError('no such column')\n            for x, y in dataset",
    )
    with pytest.raises(CallbackFailed, match="no such column") as caught:
        run(write_job(tmp_path / "job", script=script, detail={"train_data_args": {"kind": "generator"}}))
    assert "training epoch 1" in str(caught.value)
    assert "script.py" in str(caught.value)
    assert "site-packages" not in str(caught.value)


def test_a_job_that_asks_for_more_than_its_checkpoint_holds_goes_on(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run(write_job(tmp_path / "job"), max_steps=20)
    more = {"early_stopping": {"monitor": "val_loss"}, "train_speed_logger": {}, "metrics": ["auc", "acc", "f1"]}
    assert run(write_job(tmp_path / "job", **more)).step == 39
    said = capfd.readouterr().err
    assert "no state of the metric f1" in said
    assert "no state of EarlyStoppingObserver" in said


def test_other_training_data_are_no_place_to_go_on_in(tmp_path: Path) -> None:
    run(write_job(tmp_path / "job"), max_steps=20)
    with pytest.raises(CheckpointError, match="batch_size"):
        run(write_job(tmp_path / "job", batch_size=8))
    with pytest.raises(CheckpointError, match="made in another way"):
        run(write_job(tmp_path / "job", input={"prefetch": 0}))


def test_fresh_throws_nothing_away_when_the_new_run_cannot_start(tmp_path: Path) -> None:
    run(write_job(tmp_path / "job"), max_steps=20)
    broken = SCRIPT.replace("    inputs = KERAS.Input((6,))", "    raise RuntimeError('not today')")
    with pytest.raises(CallbackFailed):
        run(write_job(tmp_path / "job", script=broken), fresh=True)
    assert run(write_job(tmp_path / "job")).step == 39


def test_averages_of_the_optimizer_do_not_replace_the_best_weights(tmp_path: Path) -> None:
    optimizer = {"type": "adam", "args": {"use_ema": True, "learning_rate": 0.1}}
    job = write_job(tmp_path / "job", optimizer=optimizer, early_stopping={"monitor": "val_loss", "patience": 2})
    result = run(job)
    loaded = tf.keras.models.load_model(result.models[0])
    for trained_weight, loaded_weight in zip(final_weights(tmp_path), loaded.get_weights(), strict=True):
        np.testing.assert_array_equal(trained_weight, loaded_weight)


@pytest.mark.slow
def test_a_second_ctrl_c_is_heard_inside_a_call(tmp_path: Path) -> None:
    stuck = SCRIPT.replace("    return data.shuffle(max(rows, 1))", STUCK)
    process = start_training(write_job(tmp_path / "job", script=stuck))
    try:
        wait_until((tmp_path / "job" / "stuck").exists, process)
        assert ended_by_ctrl_c(process) == 130
        assert "ended at once" in process.communicate()[1]
    finally:
        process.kill()
        process.communicate()


STUCK = """
    def wait(x):
        import time
        open('stuck', 'w').close()
        time.sleep(600)
        return x

    return data.map(lambda x, y: (tf.ensure_shape(tf.numpy_function(wait, [x], tf.float32), [6]), y))
"""


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_a_run_whose_data_call_python(number: signal.Signals, code: int, tmp_path: Path) -> None:
    calling = SCRIPT.replace(
        "    return data.shuffle(max(rows, 1))",
        "    slow = lambda x: (__import__('time').sleep(0.002), x)[1]\n"
        "    return data.shuffle(rows).map(\n"
        "        lambda x, y: (tf.ensure_shape(tf.py_function(slow, [x], tf.float32), [6]), y))",
    )
    process = start_training(write_job(tmp_path / "job", script=calling, epochs=1000))
    try:
        wait_until(lambda: bool(list((tmp_path / "job" / "checkpoints").glob("step-*"))), process)
        process.send_signal(number)
        assert process.wait(timeout=30) == code
    finally:
        process.kill()
        process.communicate()


def test_a_save_path_that_cannot_be_made_is_found_before_training(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        run(write_job(tmp_path / "job", save_path="/proc/no/such/place"))
    assert not (tmp_path / "job" / "metrics.jsonl").exists()
