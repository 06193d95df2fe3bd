"""Many steps in one call: a loop inside the graph, until so many are done or the data end."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

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


class Around(Protocol):
    """What must be done before the first and after the last step of a call. Both are part of the call's graph."""

    def begin_call(self) -> None: ...

    def end_call(self) -> None: ...


class ManySteps:
    """Calls a step for each batch of an iterator.

    Args:
        step: called with one batch, inside the graph.
        go_on: a tensor or variable that is read before each step; None for always.
        around: what belongs to a call as a whole.
    """

    def __init__(
        self, step: Callable[[Any], None], *, go_on: Callable[[], Any] | None = None, around: Around | None = None
    ) -> None:
        self._step = step
        self._go_on = go_on
        self._around = around
        self._function = tf.function(self._run, autograph=False, reduce_retracing=True)
        self.traces = 0
        self.step_traces = 0
        self.unsaveable_random: list[str] = []
        """Random operations whose state a checkpoint cannot hold; known after the first call."""

    def __call__(self, iterator: Any, *, at_most: int) -> CallResult:
        steps, ended = self._function(iterator, tf.constant(at_most, tf.int64))
        return CallResult(int(steps), bool(ended))

    def _run(self, iterator: Any, at_most: Any) -> Any:
        self.traces += 1
        done, ended = self._loop(iterator, at_most)
        self.unsaveable_random = _random_operations()
        return done, ended

    def _loop(self, iterator: Any, at_most: Any) -> Any:
        # Before anything else: what comes around the steps depends on what is in a step.
        step = tf.function(self._counted_step, autograph=False).get_concrete_function(iterator.element_spec)
        if self._around is not None:
            self._around.begin_call()

        def no_batch() -> Any:
            optional: Any = tf.experimental.Optional
            return optional.empty(iterator.element_spec)

        def next_batch(done: Any) -> Any:
            """Nothing is taken out of the iterator that is not used now: a checkpoint holds the iterator's place."""
            # A caught end of data would leave the aborted step's traces; an optional has none.
            return tf.cond(self._wanted(done, at_most), iterator.get_next_as_optional, no_batch)

        def body(done: Any, batch: Any) -> Any:
            step(batch.get_value())
            return done + 1, next_batch(done + 1)

        start = tf.constant(0, tf.int64)
        done, _ = tf.while_loop(lambda _, batch: batch.has_value(), body, [start, next_batch(start)])
        if self._around is not None:
            self._around.end_call()
        return done, self._wanted(done, at_most)

    def _counted_step(self, batch: Any) -> None:
        """A step that makes variables would be traced twice."""
        self.step_traces += 1
        self._step(batch)

    def _wanted(self, done: Any, at_most: Any) -> Any:
        return done < at_most if self._go_on is None else tf.logical_and(done < at_most, self._go_on())


def _random_operations() -> list[str]:
    """Those in the graph that is being made, and in the functions it calls."""
    functions = tf.compat.v1.get_default_graph().as_graph_def().library.function
    found = {node.op for function in functions for node in function.node_def}
    return sorted(found & _RANDOM_STATE_IN_THE_KERNEL)
