"""Calls of many steps, one after the other: how long each is, and what is looked at when it is done."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager

from runyard.cluster import Heartbeat
from runyard.data.batches import explained
from runyard.errors import DataError
from runyard.telemetry import note
from runyard.training.boundaries import steps_to_next
from runyard.training.divergence import DivergenceWatch
from runyard.training.engine import Engine
from runyard.training.loop import CallResult
from runyard.training.observers.group import ObserverGroup
from runyard.training.pace import Pace
from runyard.training.run_state import RunState, TrainingData


class Calls:
    """Runs steps, and keeps count of them.

    Args:
        run: is told how far the training has come.
        observers: told of each call; some want it to end at a certain step.
        explain: the context in which steps run: turns what Keras raises into errors for people.
        heartbeat: told before and after each call, but not before the first, which may take long.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        data: TrainingData,
        run: RunState,
        observers: ObserverGroup,
        explain: Callable[[], AbstractContextManager[None]],
        heartbeat: Heartbeat,
    ) -> None:
        self._engine = engine
        self._data = data
        self._run = run
        self._observers = observers
        self._explain = explain
        self._heartbeat = heartbeat
        self._divergence = DivergenceWatch(engine)
        self._is_first = True
        self._has_noted_random = False
        self._pace = Pace(fixed=run.limits.steps_per_call)

    def next_steps(self) -> int:
        """How many steps go well together in the next call."""
        boundaries = [*self._observers.boundaries, *self._run.limits.boundaries]
        steps = steps_to_next(boundaries, step=self._run.step, at_most=self._pace.steps)
        return self._run.limits.within_epoch(steps, batch=self._run.batch)

    def __call__(self, *, steps: int) -> bool:
        """Runs so many steps, or fewer where the data end before; True when the epoch is over.

        Raises:
            TrainingDiverged: if a loss is not finite and the job asks to stop then.
            DataError: if the data cannot be read, or an epoch has none.
            PeerLost: if another worker is gone.
        """
        if not self._is_first:
            self._heartbeat.beat(self._run.step)
        done, seconds = self._timed(steps)
        self._is_first = False
        self._run.step += done.steps
        self._heartbeat.beat(self._run.step)
        self._data.advance(done.steps)
        self._pace.learn(steps=done.steps, seconds=seconds)
        self._note_unsaveable_random()
        self._divergence.refuse(self._run)
        if done.steps:
            self._divergence.warn(self._run)
        if done.ended:
            self._refuse_empty_epoch()
        if done.steps:
            self._observers.tell(lambda observer: observer.on_steps(self._run, steps=done.steps, seconds=seconds))
        return done.ended or self._run.batch == self._run.limits.steps_per_epoch

    def _timed(self, steps: int) -> tuple[CallResult, float]:
        started = time.perf_counter()
        what = f"training epoch {self._run.epoch + 1} after batch {self._run.batch}"
        with self._explain(), explained(what), self._engine.workers.refusing_lost_peers():
            done = self._engine.run(self._data.iterator, at_most=steps)
        return done, time.perf_counter() - started

    def _note_unsaveable_random(self) -> None:
        if self._engine.run.unsaveable_random and not self._has_noted_random:
            self._has_noted_random = True
            names = ", ".join(self._engine.run.unsaveable_random)
            note(
                f"the model draws random numbers with tf.random ({names}), whose state cannot be saved: "
                "a resumed run will draw others; use a Keras layer such as Dropout or GaussianNoise instead"
            )

    def _refuse_empty_epoch(self) -> None:
        if self._run.batch == 0:
            epoch = self._run.epoch
            when = f" in epoch {epoch + 1}: it can be read once only" if epoch else ""
            raise DataError(
                f"the training set is empty{when}", hint="look at file names, filters and dropped remainders"
            )
