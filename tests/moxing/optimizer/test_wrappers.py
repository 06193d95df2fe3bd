"""Optimizers around optimizers."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from moxing.tensorflow.optimizer import get_optimizer_fn, get_optimizer_wrapper_fn
from moxing.tensorflow.utils.hyper_param_flags import mox_flags
from tests.moxing.optimizer.steps import weights_after

GRADIENTS = [np.full((2, 2), value) for value in (1.0, 3.0, -2.0, 4.0, 5.0)]
START = np.ones((2, 2))


def wrapped(name: str, *, inside: str = "momentum", **arguments: Any) -> Callable[[], Any]:
    return lambda: get_optimizer_wrapper_fn(name, get_optimizer_fn(inside, 0.1)(), **arguments)()


@pytest.mark.parametrize("inside", ["sgd", "momentum", "adam"])
def test_gradients_of_several_steps_are_applied_as_their_mean(inside: str) -> None:
    ours = weights_after(wrapped("batch_gradients", inside=inside, num_batches=2), START, GRADIENTS)
    means = [(GRADIENTS[0] + GRADIENTS[1]) / 2, (GRADIENTS[2] + GRADIENTS[3]) / 2]
    theirs = weights_after(get_optimizer_fn(inside, 0.1), START, means)
    np.testing.assert_array_equal(ours[0], START)
    np.testing.assert_allclose(ours[1], theirs[0], rtol=1e-6)
    np.testing.assert_array_equal(ours[2], ours[1])
    np.testing.assert_allclose(ours[3], theirs[1], rtol=1e-6)
    np.testing.assert_array_equal(ours[4], ours[3])


def test_one_batch_is_no_change() -> None:
    ours = weights_after(wrapped("batch_gradients", num_batches=1, sync_on_apply=False), START, GRADIENTS)
    np.testing.assert_array_equal(ours, weights_after(get_optimizer_fn("momentum", 0.1), START, GRADIENTS))


def test_sparse_gradients_are_added_up() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        table = tf.get_variable("table", initializer=np.zeros((3, 1), np.float32), use_resource=True)
        loss = tf.reduce_sum(tf.gather(table, [0, 2, 2]))
        optimizer = wrapped("batch_gradients", inside="sgd", num_batches=2)()
        train = optimizer.apply_gradients(optimizer.compute_gradients(loss))
        session.run(tf.global_variables_initializer())
        session.run(train)
        session.run(train)
        np.testing.assert_allclose(session.run(table), [[-0.1], [0.0], [-0.2]], rtol=1e-6)


def test_what_was_added_up_is_in_a_checkpoint(tmp_path: Any) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        weights = tf.get_variable("w", initializer=np.zeros(1, np.float32), use_resource=True)
        train = wrapped("batch_gradients", inside="sgd", num_batches=2)().apply_gradients([(tf.ones(1), weights)])
        saver = tf.train.Saver()
        session.run(tf.global_variables_initializer())
        session.run(train)
        saved = saver.save(session, str(tmp_path / "model.ckpt"))
        session.run(tf.global_variables_initializer())
        saver.restore(session, saved)
        session.run(train)
        np.testing.assert_allclose(session.run(weights), [-0.1])


def test_lars_scales_gradients_to_the_size_of_the_weights() -> None:
    weights, gradient = np.array([[3.0, 4.0]]), np.array([[6.0, 8.0]])
    ours = weights_after(wrapped("lars", inside="sgd", ratio=0.01, weight_decay=0.1), weights, [gradient])
    scale = 0.01 * 5 / (10 + 0.1 * 5)
    np.testing.assert_allclose(ours[0], weights - 0.1 * scale * (gradient + 0.1 * weights), rtol=1e-6)


@pytest.mark.parametrize(
    ("weights", "gradient"), [([[0.0, 0.0]], [[1.0, 2.0]]), ([[1.0, 2.0]], [[0.0, 0.0]]), ([1.0, 2.0], [1.0, 1.0])]
)
def test_lars_leaves_biases_and_nothing_alone(weights: Any, gradient: Any) -> None:
    ours = weights_after(wrapped("lars", inside="sgd", ratio=0.01), weights, [gradient])
    np.testing.assert_allclose(ours[0], np.subtract(weights, np.multiply(0.1, gradient)), rtol=1e-6)


def test_wrappers_wrap_wrappers() -> None:
    def both() -> Any:
        inner = wrapped("lars", ratio=0.001, weight_decay=0.0001)()
        return get_optimizer_wrapper_fn("batch_gradients", inner, num_batches=2, sync_on_apply=True)()

    mean = (GRADIENTS[0] + GRADIENTS[1]) / 2
    ours = weights_after(both, START, GRADIENTS[:2])
    np.testing.assert_allclose(
        ours[1], weights_after(wrapped("lars", ratio=0.001, weight_decay=0.0001), START, [mean])[0], rtol=1e-6
    )


def test_what_there_is_not() -> None:
    optimizer = get_optimizer_fn("sgd", 0.1)
    with pytest.raises(ValueError, match="no optimizer wrapper 'lar'\n  hint: did you mean lars"):
        get_optimizer_wrapper_fn("lar", optimizer())
    with pytest.raises(TypeError, match=r"is no optimizer\n  hint: .*call it"):
        get_optimizer_wrapper_fn("lars", optimizer)
    with pytest.raises(TypeError, match="hint: it takes num_batches, sync_on_apply"):
        get_optimizer_wrapper_fn("batch_gradients", optimizer(), batches=2)
    with pytest.raises(TypeError, match="num_batches=0\n  hint: it must be a whole number"):
        get_optimizer_wrapper_fn("batch_gradients", optimizer(), num_batches=0)()


def workers(monkeypatch: pytest.MonkeyPatch, *, synchronous: bool) -> None:
    flags = ["--worker_hosts=a:1,b:2", "--job_name=worker", f"--sync_replicas={synchronous}"]
    monkeypatch.setattr(sys, "argv", ["train.py", *flags])
    monkeypatch.setattr(mox_flags, "_values", None)


def test_asynchronous_workers_cannot_update_together(monkeypatch: pytest.MonkeyPatch) -> None:
    workers(monkeypatch, synchronous=False)
    with pytest.raises(TypeError, match="hint: run them with --sync_replicas=True"):
        wrapped("batch_gradients", num_batches=2, sync_on_apply=True)()


@pytest.mark.parametrize(("synchronous", "of_its_own"), [(True, 0), (False, 2)])
def test_asynchronous_workers_add_up_their_own(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, synchronous: bool, of_its_own: int
) -> None:
    workers(monkeypatch, synchronous=synchronous)
    monkeypatch.setattr(tf.get_logger(), "propagate", True)
    with tf.Graph().as_default():
        weights = tf.get_variable("w", initializer=np.zeros(1, np.float32), use_resource=True)
        optimizer = wrapped("batch_gradients", num_batches=2, sync_on_apply=synchronous)()
        optimizer.apply_gradients([(tf.ones(1), weights)])
        assert len(tf.local_variables()) == of_its_own
    slow = "Using OptimizerWrapper when sync_replicas is True may cause performance loss."
    assert (slow in caplog.messages) == synchronous
