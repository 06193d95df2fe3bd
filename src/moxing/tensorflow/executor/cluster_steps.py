"""One step of workers that train together: the chief updates with the mean of all gradients, the others wait for it.

Each worker adds its gradients to accumulators on the parameter servers and reports. The chief waits for all reports,
takes the means, updates, and lets the others go. So every step sees one batch of every worker, no gradient is stale,
and the steps of all workers have the same numbers. There is no thread that somebody would have to end.
"""

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.cluster_signals import Signals
from moxing.tensorflow.executor.gradients import Pair

_NEVER_STALE = tf.int64.max


def together(
    pairs_of_losses: Sequence[Sequence[Pair]],
    update: Callable[[Sequence[Sequence[Pair]]], Any],
    *,
    signals: Signals,
    run: int,
) -> Any:
    """The step of this worker.

    Args:
        update: makes the operation that changes the variables. All workers make it, so that they agree on which
            variables there are; the chief runs it.
    """
    accumulators = [
        [(_Accumulator(pair, name=f"mox_{run}_{loss}_{pair[1].op.name}"), pair[1]) for pair in pairs]
        for loss, pairs in enumerate(pairs_of_losses)
    ]
    added = [accumulator.added for pairs in accumulators for accumulator, _ in pairs]
    with tf.control_dependencies(added):
        reported = signals.arrivals.enqueue(signals.worker)
    with tf.control_dependencies([reported]):
        all_reported = signals.arrivals.dequeue_many(signals.workers)
    with tf.control_dependencies([all_reported]):
        means = [[(each.mean(signals.workers), variable) for each, variable in pairs] for pairs in accumulators]
    updated = update(means)
    others = [release for worker, release in enumerate(signals.releases) if worker != signals.worker]
    if signals.worker == 0:
        with tf.control_dependencies([updated]):
            return tf.group([release.enqueue(0) for release in others])
    with tf.control_dependencies([reported]):
        return signals.releases[signals.worker].dequeue().op


class _Accumulator:
    """Adds the gradients of all workers up, beside the variable."""

    def __init__(self, pair: Pair, *, name: str) -> None:
        gradient, variable = pair
        self._is_sparse = isinstance(gradient, tf.IndexedSlices)
        self._shape = variable.shape
        if self._is_sparse:
            gradient = _each_row_once(gradient)
        with tf.device(variable.device):
            if self._is_sparse:
                # Its own mean would be over the workers that have the row, not over all.
                self._sum = tf.SparseConditionalAccumulator(
                    gradient.dtype, shape=variable.shape, shared_name=name, reduction_type="SUM"
                )
                self.added = self._sum.apply_indexed_slices_grad(gradient, local_step=_NEVER_STALE)
            else:
                self._sum = tf.ConditionalAccumulator(gradient.dtype, shape=variable.shape, shared_name=name)
                self.added = self._sum.apply_grad(gradient, local_step=_NEVER_STALE)
        self._device = variable.device

    def mean(self, workers: int) -> Any:
        with tf.device(self._device):
            if not self._is_sparse:
                mean = self._sum.take_grad(workers)
                mean.set_shape(self._shape)
                return mean
            total = self._sum.take_indexed_slices_grad(workers)
            return tf.IndexedSlices(total.values / workers, total.indices, total.dense_shape)


def _each_row_once(gradient: Any) -> Any:
    """Accumulators want the rows in order, and each of them once."""
    rows, where = tf.unique(gradient.indices)
    values = tf.math.unsorted_segment_sum(gradient.values, where, tf.size(rows))
    order = tf.argsort(rows)
    return tf.IndexedSlices(tf.gather(values, order), tf.gather(rows, order), gradient.dense_shape)
