"""Many steps in one call, computed by several workers at once, each from its own part of the data."""

import math
import threading
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from runyard.bridge import adding_in_place, looking_up_in_place
from runyard.data.elsewhere import IteratorsElsewhere
from runyard.data.positions_elsewhere import PositionsElsewhere
from runyard.training.coordinator import Coordinator
from runyard.training.loop import CallResult, ManySteps

_SHARES = 2
"""Into how many parts a call is divided for each worker: a fast one takes more of them."""


class StepsElsewhere(ManySteps):
    """Calls a step on all workers until so many are done in all, or the data of all have ended.

    Nobody waits for anybody within a call. Between calls nothing is in flight: variables and positions belong together.
    """

    def __init__(
        self, step: Callable[[Any], None], *, coordinator: Coordinator, go_on: Callable[[], Any] | None = None
    ) -> None:
        super().__init__(step, go_on=go_on)
        self._coordinator = coordinator
        self._traced: Any = None

    def __call__(self, iterator: PositionsElsewhere | IteratorsElsewhere, *, at_most: int) -> CallResult:
        if self._traced is None:
            spec = tf.data.IteratorSpec(iterator.element_spec)
            with adding_in_place(), looking_up_in_place(), self._coordinator.placing_variables():
                # Traced once, for no device in particular.
                self._traced = self._function.get_concrete_function(spec, tf.TensorSpec([], tf.int64))
        number = len(self._coordinator.workers)
        budget = _Budget(at_most, share=at_most if number == 1 else math.ceil(at_most / (number * _SHARES)))
        ends = [False] * number

        def work(index: int) -> None:
            position = iterator.each[index]
            try:
                while not ends[index] and (wanted := budget.take()):
                    done, ended = self._traced(position.iterator, tf.constant(wanted, tf.int64))
                    position.advance(int(done))
                    ends[index] = bool(ended)
                    budget.settle(wanted, done=int(done))
                    if not ends[index] and int(done) < wanted:
                        # Somebody wants the call to end.
                        budget.close()
            except Exception:
                budget.close()
                raise

        self._coordinator.on_all_workers(work)
        return CallResult(budget.used, all(ends))


class _Budget:
    """The steps of a call, from which workers take shares."""

    def __init__(self, steps: int, *, share: int) -> None:
        self._steps = steps
        self._left = steps
        self._taken = 0
        self._share = share
        self._changed = threading.Condition()
        self._closed = False

    @property
    def used(self) -> int:
        return self._steps - self._left

    def take(self) -> int:
        """Some steps; 0 when all are done. Waits while another may still give back some of those that it took."""
        with self._changed:
            self._changed.wait_for(lambda: self._left or not self._taken or self._closed)
            taken = 0 if self._closed else min(self._share, self._left)
            self._left -= taken
            self._taken += taken
            return taken

    def settle(self, taken: int, *, done: int) -> None:
        """Takes in how many of the steps of a share were done."""
        with self._changed:
            self._taken -= taken
            self._left += taken - done
            self._changed.notify_all()

    def close(self) -> None:
        """Nobody gets any more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
