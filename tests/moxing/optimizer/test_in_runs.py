"""Optimizers, wrappers and schedules in runs, where many steps are taken in one call."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox
from moxing.tensorflow.optimizer import learning_rate_scheduler
from tests.moxing.optimizer.steps import weights_after

GRADIENTS = np.random.default_rng(3).normal(size=(12, 2, 2)).astype(np.float32)
START = np.ones((2, 2), np.float32)


def trained(make: Any, folder: Path, *, steps: int = 12) -> Any:
    """The weights after a run whose gradients are those above."""

    def input_fn(mode: str) -> Any:
        return tf.data.make_one_shot_iterator(tf.data.Dataset.from_tensor_slices(GRADIENTS).repeat()).get_next()

    def model_fn(inputs: Any, mode: str) -> Any:
        weights = tf.get_variable("w", initializer=START)
        return mox.ModelSpec(loss=tf.reduce_sum(weights * inputs[0]))

    mox.run(
        input_fn=input_fn,
        model_fn=model_fn,
        optimizer_fn=make,
        run_mode=mox.ModeKeys.TRAIN,
        batch_size=1,
        auto_batch=False,
        log_dir=str(folder),
        max_number_of_steps=steps,
        save_summary_steps=1000,
        log_every_n_steps=5,
    )
    return tf.train.load_variable(str(folder), "w")


def stacked() -> Any:
    optimizer = mox.get_optimizer_fn("momentum", learning_rate=0.1, momentum=0.9)()
    optimizer = mox.get_optimizer_wrapper_fn("lars", optimizer, ratio=0.1, weight_decay=0.0001)()
    return mox.get_optimizer_wrapper_fn("batch_gradients", optimizer, num_batches=4, sync_on_apply=True)()


def scheduled() -> Any:
    rate = learning_rate_scheduler.piecewise_lr("1:0.1->0.4,2:0.4=>0.8,3:0.08", num_samples=4, global_batch_size=1)
    return mox.get_optimizer_fn("sgd", learning_rate=rate)()


@pytest.mark.parametrize("make", [stacked, scheduled])
def test_a_run_does_what_single_steps_do(tmp_path: Path, make: Any) -> None:
    by_hand = weights_after(make, START, GRADIENTS)
    np.testing.assert_allclose(trained(make, tmp_path), by_hand[-1], rtol=1e-5)


def test_variables_have_the_names_that_they_have_without_wrappers(tmp_path: Path) -> None:
    trained(stacked, tmp_path, steps=1)
    own = {"batch_gradients/count", "batch_gradients/w/sum"}
    assert {name for name, _ in tf.train.list_variables(str(tmp_path))} == {"global_step", "w", "w/Momentum"} | own


def test_gradients_that_were_added_up_are_not_lost_between_runs(tmp_path: Path) -> None:
    trained(stacked, tmp_path / "cut", steps=6)
    # The data begin anew with the second run, so its gradients are those of steps 0 to 5 again.
    again = [*GRADIENTS[:6], *GRADIENTS[:6]]
    np.testing.assert_allclose(trained(stacked, tmp_path / "cut"), weights_after(stacked, START, again)[-1], rtol=1e-5)
