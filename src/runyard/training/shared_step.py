"""The step of several shards: each gives a batch, looked at by the worker that owns it; all learn the same from all."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from runyard.bridge import tensorflow_variable
from runyard.training.copies import Copies
from runyard.training.loop import ManySteps
from runyard.training.shared_gradients import SharedGradients, SharedStep
from runyard.training.step import TrainingStep
from runyard.training.workers import Workers


@dataclass(frozen=True, eq=False, repr=False)
class StepTogether:
    """Runs inside a `tf.function`. What workers do differently is only in `look_at`; what they exchange is outside.

    Args:
        copies: what the forward pass changes, for each shard of this worker.
    """

    own: TrainingStep
    workers: Workers
    copies: Copies

    def __call__(self, batches: Sequence[Any]) -> Any:
        """One step; whether any shard had a batch for it.

        Args:
            batches: an optional for each shard of this worker, empty when its data have ended.
        """
        made: list[SharedGradients] = []

        def look_at(element: Any) -> list[Any]:
            result, rows = self.own.look_at(element)
            shapes = [tensorflow_variable(variable).shape for variable in self.own.backward.variables]
            size, index = self.workers.size, self.workers.index
            made.append(SharedGradients(result, rows=rows, shapes=shapes, size=size, index=index))
            return made[-1].packed

        looking = tf.function(look_at, autograph=False)
        found: list[Any] = []
        for index, batch in enumerate(batches):
            with self.copies.in_place(index):
                found.append(_if_there(batch, looking.get_concrete_function(batch.element_spec)))
        self.own.update.look_at_graph()
        shared = made[-1].unpacked(made[-1].joined(found), sum_vector=self.workers.sum_vector)
        has_any = shared.batches > 0
        tf.cond(has_any, lambda: self._learn(shared), lambda: tf.constant(0))
        return has_any

    def _learn(self, shared: SharedStep) -> Any:
        self.own.learn(shared.result, rows=shared.rows)
        return tf.constant(0)


class StepsTogether(ManySteps):
    """Calls a step of all workers until so many are done, or the data of all have ended.

    It is called with one iterator, or with one for each shard of this worker.
    """

    def _loop(self, iterator: Any, at_most: Any) -> Any:
        iterators = iterator if isinstance(iterator, tuple) else (iterator,)
        optionals = tuple(tf.OptionalSpec(each.element_spec) for each in iterators)
        step = tf.function(self._step, autograph=False).get_concrete_function(optionals)
        if self._around is not None:
            self._around.begin_call()

        def body(done: Any, _: Any) -> Any:
            # An iterator that has ended goes on to give empty optionals.
            more = step(tuple(each.get_next_as_optional() for each in iterators))
            return done + tf.cast(more, tf.int64), more

        def wanted(done: Any, more: Any) -> Any:
            return tf.logical_and(self._wanted(done, at_most), more)

        done, more = tf.while_loop(wanted, body, [tf.constant(0, tf.int64), tf.constant(True)])
        if self._around is not None:
            self._around.end_call()
        return done, tf.logical_not(more)


def _if_there(batch: Any, function: Any) -> Any:
    """What the function finds in a batch; zeros of the same kind where there is none."""
    return tf.cond(
        batch.has_value(),
        lambda: function(batch.get_value()),
        lambda: [_nothing_like(tensor) for tensor in function.structured_outputs],
    )


def _nothing_like(tensor: Any) -> Any:
    return tf.zeros([size or 0 for size in tensor.shape], tensor.dtype)
