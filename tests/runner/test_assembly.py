"""How a training is put together: what its parts draw, in which precision, from what data, and what it says."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runyard.bridge import start_tensorflow
from runyard.config import JobRequest
from runyard.errors import CallbackFailed, DataError
from runyard.runner.train import TrainOptions, TrainResult, train
from tests.runner.jobs import SCRIPT, metrics, write_job

tf = start_tensorflow(2)

LAZY = """
import os
import numpy as np
import tensorflow as tf
import keras

LABELLED = True


class Lazy(keras.Model):
    def __init__(self):
        super().__init__()
        self.first = keras.layers.Dense(4)

    def build(self, shape):
        self.kernel = self.add_weight(shape=(4, 1), initializer="glorot_uniform")

    def call(self, x):
        return keras.ops.sigmoid(keras.ops.matmul(self.first(x), self.kernel))


def awf_create_model_fn():
    return Lazy()


def awf_create_train_dataset_fn(draws=0):
    for _ in range(draws):
        np.random.rand(), __import__("random").random()
    x = tf.ones((64, 4))
    return tf.data.Dataset.from_tensor_slices((x, tf.ones((64, 1))))


class Watcher:
    def on_train_begin(self, run):
        np.savez(os.environ["JOB_WEIGHTS"], *run.model.get_weights())


def awf_observers_fn():
    return Watcher()
"""


@pytest.fixture(autouse=True)
def _weights_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JOB_WEIGHTS", str(tmp_path / "weights.npz"))


def run(job: Path, **options: Any) -> TrainResult:
    return train(JobRequest(job_file=job), TrainOptions(**options))


def weights(tmp_path: Path) -> list[Any]:
    with np.load(tmp_path / "weights.npz") as file:
        return [file[name] for name in file.files]


def test_variables_that_a_keras_3_model_makes_in_its_first_call_are_keras_own(tmp_path: Path) -> None:
    """As after `keras.utils.set_random_seed`: what the data draw changes nothing."""
    import keras

    run(write_job(tmp_path / "job", script=LAZY, metrics=None), max_steps=1)
    found = weights(tmp_path)
    namespace: dict[str, Any] = {}
    exec(LAZY, namespace)
    keras.utils.set_random_seed(5)
    model = namespace["awf_create_model_fn"]()
    model(np.ones((1, 4), "float32"))
    for ours, theirs in zip(found, model.get_weights(), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    run(write_job(tmp_path / "other", script=LAZY, detail={"train_data_args": {"draws": 3}}, metrics=None), max_steps=1)
    for one, other in zip(found, weights(tmp_path), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_precision_of_a_job_is_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = SCRIPT.replace(
        "    def on_train_end(self, run):",
        "    def on_train_end(self, run):\n        print('computes in', run.model.layers[1].compute_dtype)",
    )
    for mixed in (True, False):
        run(write_job(tmp_path / str(mixed), script=script, mix_precision=mixed), max_steps=1)
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("computes")]
    assert said == ["computes in float16", "computes in float32"]


def test_a_run_that_ends_with_an_epoch_is_validated_logged_and_goes_on_exactly(tmp_path: Path) -> None:
    job = write_job(tmp_path / "job")
    result = run(job, max_steps=13)
    assert (result.epochs, result.reason) == (1, "13 steps done")
    assert "val_auc" in result.results
    assert [line["step"] for line in metrics(job)] == [13]
    run(job)
    stopped = weights(tmp_path)
    run(write_job(tmp_path / "straight"))
    assert metrics(job) == metrics(tmp_path / "straight" / "job.json")
    for one, other in zip(stopped, weights(tmp_path), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_run_that_broke_down_in_its_last_validation_makes_up_for_it(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.touch()
    script = SCRIPT.replace("dataset(val_rows, 1)", f"dataset(0 if os.path.exists({str(broken)!r}) else val_rows, 1)")
    job = write_job(tmp_path / "job", script=script)
    with pytest.raises(DataError, match="the validation set is empty"):
        run(job, max_steps=13)
    broken.unlink()
    result = run(job, max_steps=13)
    assert (result.epochs, result.step) == (1, 13)
    assert "val_auc" in result.results
    assert [line["step"] for line in metrics(job)] == [13]


@pytest.mark.parametrize("options", [{"overfit_batches": 2}, {"fast_dev_run": True}])
def test_early_stopping_that_is_left_out_is_told(
    tmp_path: Path, options: dict[str, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    run(write_job(tmp_path / "job", epochs=1, early_stopping={"monitor": "val_auc"}), **options)
    assert capfd.readouterr().err.count("early_stopping is left out") == 1
    run(write_job(tmp_path / "job", epochs=1), **options)
    assert "early_stopping" not in capfd.readouterr().err


def test_a_model_may_add_all_the_loss_there_is(tmp_path: Path) -> None:
    """Elements are `x` alone; the loss that the job names ignores its labels."""
    script = """
import numpy as np
import tensorflow as tf


class Autoencoder(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.code = tf.keras.layers.Dense(4)

    def call(self, x):
        decoded = self.code(x)
        self.add_loss(tf.reduce_mean(tf.square(decoded - x)))
        return decoded


def nothing():
    return lambda y_true, y_pred: 0.0 * y_pred


def awf_create_model_fn():
    return Autoencoder()


def awf_create_train_dataset_fn():
    x = np.random.default_rng(0).standard_normal((64, 4)).astype("float32")
    return tf.data.Dataset.from_tensor_slices(x)
"""
    optimizer = {"type": "adam", "args": {"learning_rate": 0.05}}
    job = write_job(tmp_path / "job", script=script, losses="nothing", metrics=None, epochs=30, optimizer=optimizer)
    run(job)
    losses = [line["loss"] for line in metrics(job)]
    assert losses[-1] < 0.1 * losses[0]


def test_labels_that_do_not_fit_are_the_jobs_mistake_not_ours(tmp_path: Path) -> None:
    script = SCRIPT.replace('(x[:, 0] > 0).astype("float32")))', '(x[:, :3] > 0).astype("float32")))')
    with pytest.raises(DataError, match=r"the labels do not fit the losses\n  came:     labels: \(\?, 3\)"):
        run(write_job(tmp_path / "job", script=script))


def test_labels_of_a_validation_set_that_do_not_fit_are_told_with_the_sets_name(tmp_path: Path) -> None:
    script = SCRIPT.replace(
        "    return dataset(val_rows, 1)", "    return {'wide': dataset(val_rows, 1).map(lambda x, y: (x, x))}"
    )
    with pytest.raises(DataError, match="the validation set 'wide' cannot be validated"):
        run(write_job(tmp_path / "job", script=script, epochs=1))


def test_a_loss_of_the_script_that_raises_shows_the_users_line(tmp_path: Path) -> None:
    script = SCRIPT + "\n\ndef mine():\n    return lambda y_true, y_pred: y_true.no_such_thing\n"
    with pytest.raises(CallbackFailed, match="no_such_thing"):
        run(write_job(tmp_path / "job", script=script, losses="mine"))


def test_an_empty_validation_set_is_called_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the validation set is empty"):
        run(write_job(tmp_path / "job", detail={"val_data_args": {"val_rows": 0}}, epochs=1))
