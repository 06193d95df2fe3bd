"""Exact resume with what a job can combine: GAUC, PCGrad, half precision, TensorBoard, schedules, class weights."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from runyard.bridge import start_tensorflow
from tests.runner.jobs import (
    WATCHER,
    killed_training,
    metrics,
    result,
    run_training,
    same_bits,
    trained,
    weights,
    write_job,
)

tf = start_tensorflow(2)

pytestmark = pytest.mark.slow

SCRIPT = (
    '''
import os
import signal
import threading

import numpy as np
import tensorflow as tf

KERAS = tf.keras
if os.environ.get("JOB_KERAS") == "3":
    import keras as KERAS


def awf_create_model_fn(tasks=1):
    inputs = KERAS.Input((6,))
    x = KERAS.layers.Dense(8, activation="relu", kernel_regularizer="l2")(inputs)
    x = KERAS.layers.Dropout(0.3)(KERAS.layers.BatchNormalization()(x))
    heads = [KERAS.layers.Dense(1, activation="sigmoid", name=name)(x) for name in ("click", "buy", "share")[:tasks]]
    return KERAS.Model(inputs, heads if tasks > 1 else heads[0])


def rows_of(rows, tasks, seed):
    """Features beside the id of a user, labels that pull in different directions."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((rows, 6)).astype("float32")
    users = np.array([f"user {number}" for number in rng.integers(7, size=rows)])
    scores = x[:, 0], x[:, 1] - x[:, 0], -x[:, 0] - x[:, 1]
    labels = tuple((score > 0).astype("int32") for score in scores[:tasks])
    return tf.data.Dataset.from_tensor_slices(((x, users), labels if tasks > 1 else labels[0]))


def awf_create_train_dataset_fn(tasks=1, day="0"):
    return rows_of(200, tasks, int(day)).shuffle(200)


def awf_create_val_dataset_fn(tasks=1):
    return rows_of(50, tasks, 1)


def awf_group_trainable_vars_fn(model):
    return model.trainable_variables[:2], model.trainable_variables[2:]
'''
    + WATCHER
)

INPUTS = {"model_call_exclude_input_index": 1, "input_squeeze": True}
GAUC = {"type": "gauc", "args": {"user_id_index": 1}}
COSINE = {
    "type": "cosine",
    "args": {"initial_learning_rate": 0.02, "decay_steps": 30, "warmup_steps": 9},
}
# With three tasks the random order in which PCGrad projects their gradients matters.
THREE_TASKS = {"model_args": {"tasks": 3}, "train_data_args": {"tasks": 3}, "val_data_args": {"tasks": 3}}


def undisturbed(folder: Path, *, environment: dict[str, str], **job: Any) -> Path:
    written = write_job(folder / "calm", script=SCRIPT, **job)
    trained(written, **environment)
    return written


def killed_in_the_second_epoch(folder: Path, *, environment: dict[str, str], **job: Any) -> Path:
    """A run that is killed eight batches into its second epoch, and then goes on from five batches into it."""
    written = write_job(folder / "killed", script=SCRIPT, **job)
    killed_training(written, at=21, **environment)
    assert "Going on from the checkpoint at step 18 (epoch 2)" in trained(written, **environment).stderr
    return written


def assert_same_end(calm: Path, killed: Path) -> None:
    assert same_bits(weights(calm), weights(killed))
    assert metrics(calm) == metrics(killed)
    assert result(calm) == result(killed)
    assert result(killed)["step"] == 39


def scalars(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """What TensorBoard's own reader finds, in the order in which it was written."""
    from tensorboard.backend.event_processing.plugin_event_accumulator import EventAccumulator

    read = EventAccumulator(str(folder), tensor_size_guidance={"scalars": 0}).Reload()
    tags = [tag for tag in read.Tags()["tensors"] if read.SummaryMetadata(tag).plugin_data.plugin_name == "scalars"]
    return {
        tag: [(event.step, float(tf.make_ndarray(event.tensor_proto))) for event in read.Tensors(tag)] for tag in tags
    }


def assert_same_summaries(calm: Path, killed: Path) -> None:
    for part in ("train", "validation"):
        assert scalars(killed.parent / "summary" / part) == scalars(calm.parent / "summary" / part)


def loss_scale(job: Path) -> float:
    # Imports TensorFlow at its top, which must not happen before the Keras is chosen.
    from runyard.checkpoint.store import CheckpointStore

    found = CheckpointStore(job.parent / "checkpoints", keep=3).newest(warn=pytest.fail)
    assert found is not None
    return float(found.load().tensors["update/variable/00000"])


def test_rows_of_gauc_class_weights_a_warm_up_and_summaries_of_every_step(tmp_path: Path) -> None:
    job: dict[str, Any] = {
        **INPUTS,
        "metrics": ["auc", GAUC],
        "mix_precision": True,
        "class_weight": {"0": 1.0, "1": 3.0},
        "optimizer": {"type": "adam", "args": {"learning_rate": COSINE}},
        "tensorboard": {"update_freq": "batch", "histogram_freq": 1},
    }
    calm = undisturbed(tmp_path, environment={"JOB_KERAS": "3"}, **job)
    killed = killed_in_the_second_epoch(tmp_path, environment={"JOB_KERAS": "3"}, **job)
    assert_same_end(calm, killed)
    assert all(0 < line["gauc"] < 1 and 0 < line["val_gauc"] < 1 for line in metrics(killed))
    assert_same_summaries(calm, killed)
    shown = scalars(killed.parent / "summary" / "train")
    assert [step for step, _ in shown["batch_gauc"]] == list(range(1, 40))
    assert [epoch for epoch, _ in shown["epoch_gauc"]] == [0, 1, 2]
    assert len({rate for _, rate in shown["epoch_learning_rate"]}) == 3


def test_pcgrad_with_two_optimizers(tmp_path: Path) -> None:
    pcgrad = {"type": "adam", "args": {"learning_rate": COSINE}, "grad_process": "pcgrad"}
    momentum = {"type": "sgd", "args": {"learning_rate": 0.05, "momentum": 0.9}, "grad_process": "pcgrad"}
    job: dict[str, Any] = {**INPUTS, "detail": THREE_TASKS, "optimizer": [pcgrad, momentum], "metrics": ["auc", GAUC]}
    calm = undisturbed(tmp_path, environment={}, **job)
    killed = killed_in_the_second_epoch(tmp_path, environment={}, **job)
    assert_same_end(calm, killed)
    assert {"click_gauc", "buy_gauc", "val_buy_auc"} <= set(metrics(killed)[-1])


def test_pcgrad_in_half_precision_whose_loss_scale_has_changed(tmp_path: Path) -> None:
    job: dict[str, Any] = {
        **INPUTS,
        "detail": THREE_TASKS,
        "optimizer": {"type": "adam", "grad_process": "pcgrad"},
        "mix_precision": True,
        # Half precision ends at 65504, so that the first gradients of so large a loss are infinite.
        "losses": [{"type": "bce", "weight": 1000.0}, "bce", "bce"],
    }
    calm = undisturbed(tmp_path, environment={}, **job)
    killed = killed_in_the_second_epoch(tmp_path, environment={}, **job)
    assert_same_end(calm, killed)
    assert loss_scale(killed) == loss_scale(calm) < 2.0**15


def test_a_drawn_seed_and_a_date_stay_after_a_kill_before_the_first_checkpoint_and_after_midnight(
    tmp_path: Path,
) -> None:
    dated: dict[str, Any] = {"detail": {"train_data_args": {"day": "${DATE}$"}}, "save_path": "models/${DATE}$"}
    dated["tensorboard"] = {"update_freq": "batch"}
    job = write_job(tmp_path / "killed", script=SCRIPT, seed=None, **INPUTS, **dated)
    killed_training(job, at=3, now="2024-02-28T23:58:00")
    assert not list((tmp_path / "killed" / "checkpoints").glob("step-*"))
    killed_training(job, at=21, now="2024-02-29T00:01:00")
    assert "Going on from the checkpoint at step 18" in trained(job, now="2024-03-01T00:01:00").stderr
    seed = json.loads((tmp_path / "killed" / "checkpoints" / "run.json").read_text())["seed"]
    calm = write_job(tmp_path / "calm", script=SCRIPT, seed=seed, **INPUTS, **dated)
    trained(calm, now="2024-02-28T12:00:00")
    assert_same_end(calm, job)
    assert [path.name for path in (tmp_path / "killed" / "models").iterdir()] == ["20240228"]
    assert_same_summaries(calm, job)


def test_a_kill_after_the_log_of_an_epoch_and_one_before_the_model_is_saved(tmp_path: Path) -> None:
    kill = "os.environ.get('JOB_KILL_IN') == {!r} and os.kill(os.getpid(), signal.SIGKILL)"
    script = SCRIPT.replace(
        "    def on_train_end(self, run):",
        "    def on_epoch_end(self, run):\n"
        f"        run.epoch == 1 and {kill.format('epoch')}\n\n"
        "    def on_train_end(self, run):\n"
        f"        {kill.format('end')}",
    )
    job: dict[str, Any] = {
        **INPUTS,
        "ema": {"momentum": 0.9},
        "early_stopping": {"monitor": "val_auc", "patience": 5},
        "optimizer": {"type": "adam", "args": {"use_ema": True}},
        "tensorboard": {},
    }
    calm = write_job(tmp_path / "calm", script=script, **job)
    trained(calm)
    killed = write_job(tmp_path / "killed", script=script, **job)
    for moment, lines in (("epoch", 2), ("end", 3)):
        assert run_training(killed, JOB_KILL_IN=moment).returncode == -signal.SIGKILL
        assert len(metrics(killed)) == lines
        assert not (tmp_path / "killed" / "saved_model").exists()
    assert "Going on from the checkpoint at step 39" in trained(killed).stderr
    assert_same_end(calm, killed)
    assert_same_summaries(calm, killed)
    assert (tmp_path / "killed" / "saved_model" / "saved_model.pb").exists()
