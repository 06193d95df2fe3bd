"""Which rows are validated, when, and under which names."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runyard.bridge import start_tensorflow
from runyard.errors import DataError
from tests.runner.jobs import SCRIPT, metrics, train_here, write_job

tf = start_tensorflow(2)

pytestmark = pytest.mark.slow

_CALLBACK = "def awf_create_val_dataset_fn(val_rows=50):\n    return dataset(val_rows, 1)\n"


@pytest.fixture(autouse=True)
def _weights_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JOB_WEIGHTS", str(tmp_path / "weights.npz"))


def validating(body: str) -> str:
    """The script with another validation callback."""
    script = SCRIPT.replace(_CALLBACK, f"def awf_create_val_dataset_fn():\n    {body}\n")
    assert script != SCRIPT
    return script


def loss_of(model_path: str, *, rows: int) -> float:
    """The loss of a saved model over the first rows of the validation set of 50."""
    x = np.random.default_rng(1).standard_normal((50, 6)).astype("float32")[:rows]
    model = tf.keras.models.load_model(model_path)
    return float(tf.keras.losses.BinaryCrossentropy()((x[:, :1] > 0).astype("float32"), model(x)))


def test_an_endless_set_is_validated_up_to_the_batch_that_holds_num_val_samples(tmp_path: Path) -> None:
    endless = validating("return dataset(50, 1).repeat()")
    with pytest.raises(DataError, match="num_val_samples"):
        train_here(write_job(tmp_path / "none", script=endless))
    result = train_here(write_job(tmp_path / "some", script=endless, num_val_samples=33, epochs=2))
    # Two batches of 16 hold 32 rows. The second epoch starts with the first row again.
    assert result.results["val_loss"] == pytest.approx(loss_of(result.models[0], rows=48), rel=1e-5)


def test_validation_may_come_after_every_other_epoch(tmp_path: Path) -> None:
    stopping = {"monitor": "val_loss", "patience": 9}
    now_and_then = {"validation": {"every_epochs": 2}, "num_val_samples": 16}
    job = write_job(tmp_path / "job", epochs=5, early_stopping=stopping, **now_and_then)
    result = train_here(job)
    lines = metrics(job)
    assert [line["epoch"] for line in lines if "val_loss" in line] == [2, 4]
    assert [line["epoch"] for line in lines if "loss" in line] == [1, 2, 3, 4, 5]
    best = min(line["val_loss"] for line in lines if "val_loss" in line)
    # The set has an end, so that num_val_samples cuts nothing off.
    assert loss_of(result.models[0], rows=50) == pytest.approx(best, rel=1e-5)


def test_each_of_several_sets_has_its_own_results(tmp_path: Path) -> None:
    pair = validating("return dataset(50, 1), dataset(30, 2)")
    result = train_here(write_job(tmp_path / "pair", script=pair, epochs=1))
    numbered = result.results
    assert numbered["val_loss(0)"] == pytest.approx(loss_of(result.models[0], rows=50), rel=1e-5)
    named = validating("return {'new': dataset(30, 2), 'old': dataset(50, 1)}")
    keyed = train_here(write_job(tmp_path / "named", script=named, epochs=1)).results
    for name in ("val_loss", "val_auc", "val_acc"):
        assert numbered[f"{name}(0)"] == keyed[f"{name}(old)"]
        assert numbered[f"{name}(1)"] == keyed[f"{name}(new)"] != keyed[f"{name}(old)"]
    assert not {"val_loss", "val_auc(0)"} & set(keyed)


@pytest.mark.parametrize(("monitor", "epochs"), [("val_auc(0)", 6), ("val_auc(1)", 3)])
def test_early_stopping_watches_the_set_that_its_monitor_names(monitor: str, epochs: int, tmp_path: Path) -> None:
    """The labels of the second set are turned round: what the model learns makes its AUC smaller."""
    turned = validating("return dataset(50, 1), dataset(50, 1).map(lambda x, y: (x, 1 - y))")
    stopping: dict[str, Any] = {"monitor": monitor, "patience": 2}
    job = write_job(tmp_path / "job", script=turned, epochs=6, early_stopping=stopping)
    result = train_here(job)
    lines = metrics(job)
    assert len(lines) == result.epochs == epochs
    assert result.results[monitor] == max(line[monitor] for line in lines)
