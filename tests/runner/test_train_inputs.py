"""Inputs that metrics see and the model does not."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runyard.bridge import start_tensorflow
from runyard.config import JobRequest
from runyard.errors import DataError
from runyard.runner.check import check_job
from runyard.runner.plan import plan_job
from tests.runner.jobs import metrics, train_here, write_job

tf = start_tensorflow(2)

pytestmark = pytest.mark.slow

SCRIPT = """
import numpy as np
import tensorflow as tf


def awf_create_model_fn():
    inputs = tf.keras.Input((6,))
    return tf.keras.Model(inputs, tf.keras.layers.Dense(1, activation="sigmoid")(inputs))


def rows_of(form, seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((100, 6)).astype("float32")
    users = rng.integers(9, size=100)
    names = np.array([f"user {number}" for number in users])
    inputs = {"dict": {"user": names, "x": x}, "tuple": (x, users)}[form]
    return tf.data.Dataset.from_tensor_slices((inputs, (x[:, 0] + rng.standard_normal(100) > 0).astype("int32")))


def awf_create_train_dataset_fn(form):
    return rows_of(form, 0)


def awf_create_val_dataset_fn(form):
    return rows_of(form, 1)
"""


def rows(seed: int) -> tuple[Any, Any, Any]:
    """The same rows as the script's."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((100, 6)).astype("float32")
    users = rng.integers(9, size=100)
    return x, users, x[:, 0] + rng.standard_normal(100) > 0


def gauc(model: Any, *, seed: int) -> float:
    """By its definition: the share of pairs in the right order for each user, averaged by the users' rows."""
    x, users, label = rows(seed)
    score = model(x).numpy()[:, 0]
    found: list[tuple[float, int]] = []
    for user in np.unique(users):
        mine = users == user
        pairs = list(itertools.product(score[mine & label], score[mine & ~label]))
        if pairs:
            right = [1.0 if good > bad else 0.5 if good == bad else 0.0 for good, bad in pairs]
            found.append((float(np.mean(right)), int(mine.sum())))
    return float(np.average([auc for auc, _ in found], weights=[size for _, size in found]))


@pytest.mark.parametrize(("form", "user"), [("tuple", 1), ("dict", "user")])
def test_gauc_reads_the_users_that_are_kept_from_the_model(form: str, user: int | str, tmp_path: Path) -> None:
    job = write_job(
        tmp_path / "job",
        script=SCRIPT,
        detail={"train_data_args": {"form": form}, "val_data_args": {"form": form}},
        epochs=2,
        # The model stands still, so that the rows of an epoch are scored by one and the same model.
        optimizer={"type": "sgd", "args": {"learning_rate": 0.0}},
        metrics=[{"type": "gauc", "args": {"user_id_index": user}}],
        model_call_exclude_input_index=user,
        input_squeeze=True,
    )
    result = train_here(job)
    model = tf.keras.models.load_model(result.models[0])
    assert [line["gauc"] for line in metrics(job)] == [pytest.approx(gauc(model, seed=0), abs=1e-6)] * 2
    assert result.results["val_gauc"] == pytest.approx(gauc(model, seed=1), abs=1e-6)
    assert result.results["val_gauc"] != result.results["gauc"]


def test_what_is_kept_from_the_model_is_no_input_of_the_saved_one(tmp_path: Path) -> None:
    detail = {"train_data_args": {"form": "tuple"}, "val_data_args": {"form": "tuple"}}
    kept = {"model_call_exclude_input_index": [1], "input_squeeze": True}
    result = train_here(write_job(tmp_path / "job", script=SCRIPT, detail=detail, epochs=1, **kept))
    serving = tf.saved_model.load(result.models[0]).signatures["serving_default"]
    (given,) = serving.structured_input_signature[1].values()
    assert given.shape.as_list() == [None, 6]


@pytest.mark.parametrize("rows", ["filtered()", "generated()"])
def test_an_epoch_of_rows_without_a_known_end_ends_at_num_samples(tmp_path: Path, rows: str) -> None:
    script = f"""
import tensorflow as tf


def awf_create_model_fn():
    return tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])


def filtered():
    numbers = tf.data.Dataset.range(10).repeat().filter(lambda n: n % 2 == 0)
    return numbers.map(lambda n: (tf.reshape(tf.cast(n, tf.float32), [1]), 1.0))


def generated():
    def count():
        while True:
            yield [1.0], 1.0

    signature = tf.TensorSpec([1]), tf.TensorSpec([])
    return tf.data.Dataset.from_generator(count, output_signature=signature)


def awf_create_train_dataset_fn():
    return {rows}


def awf_create_val_dataset_fn():
    return {rows}
"""
    limits = {"num_samples": 50, "num_val_samples": 20, "batch_size": 10, "metrics": None, "losses": "mse"}
    job = write_job(tmp_path / "job", script=script, detail={}, epochs=3, checkpoint={"every_steps": 4}, **limits)
    assert train_here(job).step == 15
    assert [line["step"] for line in metrics(job)] == [5, 10, 15]


def batching_job(folder: Path) -> Path:
    batched = "return rows_of(form, 0).map(lambda x, y: (x[0], y)).batch(20).prefetch(1)"
    script = SCRIPT.replace("return rows_of(form, 0)", batched).split("def awf_create_val_dataset_fn")[0]
    return write_job(folder, script=script, detail={"train_data_args": {"form": "tuple"}}, metrics=None)


def test_batches_without_a_batch_size_are_not_trained_as_rows(tmp_path: Path) -> None:
    """Keras 2 would: a dense layer works on the last dimension of whatever comes."""
    with pytest.raises(DataError, match="awf_create_train_dataset_fn returns batches, and Runyard has made batches"):
        train_here(batching_job(tmp_path / "job"))


def test_check_finds_batches_of_batches(tmp_path: Path) -> None:
    report = check_job(plan_job(JobRequest(job_file=batching_job(tmp_path / "job"))))
    assert [problem.hint for problem in report.problems] == [
        "let awf_create_train_dataset_fn take `batch_size` and use it, or leave out its .batch(...)"
    ]
