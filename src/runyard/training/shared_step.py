"""The step of several workers: each looks at a batch of its own, all learn the same from all of them."""

from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from runyard.bridge import tensorflow_variable
from runyard.training.loop import ManySteps
from runyard.training.shared_gradients import SharedGradients, SharedStep
from runyard.training.step import TrainingStep
from runyard.training.workers import Workers


@dataclass(frozen=True, eq=False, repr=False)
class StepTogether:
    """Runs inside a `tf.function`. What workers do differently is only in `look_at`; what they exchange is outside."""

    own: TrainingStep
    workers: Workers

    def __call__(self, batch: Any) -> Any:
        """One step; whether any worker had a batch for it.

        Args:
            batch: an optional, empty when the data of this worker have ended.
        """
        made: list[SharedGradients] = []

        def look_at(element: Any) -> list[Any]:
            result, rows = self.own.look_at(element)
            shapes = [tensorflow_variable(variable).shape for variable in self.own.backward.variables]
            size, index = self.workers.size, self.workers.index
            made.append(SharedGradients(result, rows=rows, shapes=shapes, size=size, index=index))
            return made[-1].packed

        function = tf.function(look_at, autograph=False).get_concrete_function(batch.element_spec)
        packed = tf.cond(
            batch.has_value(),
            lambda: function(batch.get_value()),
            lambda: [_nothing_like(tensor) for tensor in function.structured_outputs],
        )
        self.own.update.look_at_graph()
        shared = made[-1].unpacked(packed, sum_vector=self.workers.sum_vector)
        has_any = shared.batches > 0
        tf.cond(has_any, lambda: self._learn(shared), lambda: tf.constant(0))
        return has_any

    def _learn(self, shared: SharedStep) -> Any:
        self.own.learn(shared.result, rows=shared.rows)
        return tf.constant(0)


class StepsTogether(ManySteps):
    """Calls a step of all workers until so many are done, or the data of all have ended."""

    def _loop(self, iterator: Any, at_most: Any) -> Any:
        optional = tf.OptionalSpec(iterator.element_spec)
        step = tf.function(self._step, autograph=False).get_concrete_function(optional)
        if self._around is not None:
            self._around.begin_call()

        def body(done: Any, _: Any) -> Any:
            # An iterator that has ended goes on to give empty optionals.
            more = step(iterator.get_next_as_optional())
            return done + tf.cast(more, tf.int64), more

        def wanted(done: Any, more: Any) -> Any:
            return tf.logical_and(self._wanted(done, at_most), more)

        done, more = tf.while_loop(wanted, body, [tf.constant(0, tf.int64), tf.constant(True)])
        if self._around is not None:
            self._around.end_call()
        return done, tf.logical_not(more)


def _nothing_like(tensor: Any) -> Any:
    return tf.zeros([size or 0 for size in tensor.shape], tensor.dtype)
