"""Many steps in one call: a loop inside the graph, until so many are done or the data end."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import tensorflow as tf


@dataclass(frozen=True)
class CallResult:
    """How many steps a call made, and whether the data ended in it."""

    steps: int
    ended: bool


_RANDOM_STATE_IN_THE_KERNEL = frozenset(
    {
        "Multinomial",
        "RandomGamma",
        "RandomPoissonV2",
        "RandomShuffle",
        "RandomStandardNormal",
        "RandomUniform",
        "RandomUniformInt",
        "TruncatedNormal",
    }
)
"""Operations of `tf.random` that keep their state where no checkpoint can reach it."""


class ManySteps:
    """Calls a step for each batch of an iterator.

    Args:
        step: called with one batch, inside the graph.
        go_on: a tensor or variable that is read before each step; None for always.
    """

    def __init__(self, step: Callable[[Any], None], *, go_on: Callable[[], Any] | None = None) -> None:
        self._step = step
        self._go_on = go_on
        self._function = tf.function(self._run, autograph=False, reduce_retracing=True)
        self.traces = 0
        self.unsaveable_random: list[str] = []
        """Random operations whose state a checkpoint cannot hold; known after the first call."""

    def __call__(self, iterator: Any, *, at_most: int) -> CallResult:
        steps, ended = self._function(iterator, tf.constant(at_most, tf.int64))
        return CallResult(int(steps), bool(ended))

    def _run(self, iterator: Any, at_most: Any) -> Any:
        self.traces += 1

        def condition(done: Any, ended: Any) -> Any:
            wanted = tf.logical_and(done < at_most, tf.logical_not(ended))
            return wanted if self._go_on is None else tf.logical_and(wanted, self._go_on())

        def body(done: Any, _: Any) -> Any:
            # A caught end of data would leave the aborted step's traces; an optional has none.
            batch = iterator.get_next_as_optional()

            def with_data() -> Any:
                self._step(batch.get_value())
                return done + 1, tf.constant(False)

            return tf.cond(batch.has_value(), with_data, lambda: (done, tf.constant(True)))

        result = tf.while_loop(condition, body, [tf.constant(0, tf.int64), tf.constant(False)])
        self.unsaveable_random = _random_operations()
        return result


def _random_operations() -> list[str]:
    """Those in the graph that is being made, and in the functions it calls."""
    functions = tf.compat.v1.get_default_graph().as_graph_def().library.function
    found = {node.op for function in functions for node in function.node_def}
    return sorted(found & _RANDOM_STATE_IN_THE_KERNEL)
