"""Gradients of several steps, applied together."""

from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.optimizer.failures import WrongOptimizerArguments
from moxing.tensorflow.optimizer.workers import steps_on_its_own
from moxing.tensorflow.optimizer.wrapper import OptimizerWrapper, Pairs, with_gradients


class BatchGradientsOptimizer(OptimizerWrapper):
    """Adds gradients up and lets the optimizer inside see their mean every `num_batches` steps.

    The global step counts every step. What has been added up is part of the checkpoint, except that of asynchronous
    workers.

    Args:
        num_batches: steps between two updates.
        sync_on_apply: workers update together. In one process, and with synchronous workers, they always do.

    Raises:
        WrongOptimizerArguments: if `num_batches` is less than 1, or workers are asked to be asynchronous and to update
            together.
    """

    def __init__(self, opt: tf.train.Optimizer, num_batches: int, sync_on_apply: bool = True) -> None:
        super().__init__(opt, name="BatchGradients")
        if not isinstance(num_batches, int) or num_batches < 1:
            raise WrongOptimizerArguments(
                f"batch_gradients: num_batches={num_batches!r}", hint="it must be a whole number from 1 on"
            )
        if sync_on_apply and steps_on_its_own():
            raise WrongOptimizerArguments(
                "batch_gradients: sync_on_apply=True, but the workers run with --sync_replicas=False",
                hint="run them with --sync_replicas=True, which gives the same updates, or give sync_on_apply=False",
            )
        self._num_batches = num_batches
        self._own: list[Any] = []

    def apply_gradients(self, grads_and_vars: Pairs, global_step: Any = None, name: str | None = None) -> Any:
        pairs = with_gradients(grads_and_vars)
        with tf.variable_scope("batch_gradients", reuse=tf.AUTO_REUSE):
            sums = [self._new(f"{variable.op.name}/sum", like=variable) for _, variable in pairs]
            count = self._new("count", like=None)
        with tf.name_scope(name or "batch_gradients"):
            added = [total.assign_add(gradient) for total, (gradient, _) in zip(sums, pairs, strict=True)]
            counted = count.assign_add(1)
            with tf.control_dependencies([*(tf.convert_to_tensor(value) for value in added), counted]):
                done = tf.cond(
                    tf.equal(count.read_value(), self._num_batches),
                    lambda: self._apply_mean(sums, pairs, count),
                    lambda: tf.constant(False),
                )
            if global_step is None:
                return tf.group(done)
            with tf.control_dependencies([done]):
                return tf.assign_add(global_step, 1)

    def _apply_mean(self, sums: list[Any], pairs: Pairs, count: Any) -> Any:
        means = [total.read_value() / self._num_batches for total in sums]
        with tf.control_dependencies(means):
            applied = super().apply_gradients([(mean, pair[1]) for mean, pair in zip(means, pairs, strict=True)])
        with tf.control_dependencies([applied]):
            cleared = [total.assign(tf.zeros_like(total)) for total in sums]
            with tf.control_dependencies([*(tf.convert_to_tensor(value) for value in cleared), count.assign(0)]):
                return tf.constant(True)

    def variables(self) -> list[Any]:
        return [*super().variables(), *self._own]

    def _new(self, name: str, *, like: Any) -> Any:
        """A sum; a worker that steps on its own has its own, which no checkpoint holds."""
        collection = tf.GraphKeys.LOCAL_VARIABLES if steps_on_its_own() else tf.GraphKeys.GLOBAL_VARIABLES
        made = tf.get_variable(
            name,
            shape=() if like is None else like.shape,
            dtype=tf.int32 if like is None else like.dtype.base_dtype,
            initializer=tf.zeros_initializer(),
            trainable=False,
            use_resource=True,
            collections=[collection],
        )
        self._own.append(made)
        return made
