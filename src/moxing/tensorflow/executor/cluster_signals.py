"""What the processes of one run tell each other, through queues on the first parameter server."""

import contextlib
import math
import signal
import time
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.lines import log_line, warn_line

_HOME = "/job:ps/task:0/cpu:0"
_LOOK_AGAIN = 0.1
_NEXT_WORD = 60.0
_TO_FOLLOW = 10.0
"""Seconds that the others have to end their steps after all were asked to stop."""
_BY_HOOK = -1


class Signals:
    """The queues and flags of a run, in its graph.

    Args:
        run: which call of `mox.run` of the process it is: each has its own.
        worker: which worker this process is; 0 is the chief.
    """

    def __init__(self, *, run: int, worker: int, workers: int) -> None:
        self.worker = worker
        self.workers = workers
        with tf.device(_HOME), tf.name_scope(None), tf.control_dependencies(None):
            ready = tf.Variable(True, name=f"mox_ready_{run}", collections=[], trainable=False, use_resource=True)
            self.is_ready = ready.is_initialized()
            self._make_ready = ready.initializer
            self.make_unready = tf.raw_ops.DestroyResourceOp(resource=ready.handle, ignore_lookup_error=True)
            self._first = tf.placeholder(tf.int64, [])
            steps = [_counter(f"mox_steps_{run}_{each}") for each in range(workers)]
            halt, self._by = _counter(f"mox_halt_{run}"), tf.placeholder(tf.int64, [])
            self.halt, self._halt = halt.value(), halt.assign(self._by, read_value=False)
            self._begin = tf.group([halt.initializer, *(counter.assign(self._first) for counter in steps)])
            self.own_steps = steps[worker]
            self.arrivals = _queue(f"mox_arrivals_{run}")
            self.releases = [_queue(f"mox_release_{run}_{each}") for each in range(workers)]
            self._done = _queue(f"mox_done_{run}")
            self._no_arrivals = self.arrivals.close()
            self._no_releases = [release.close() for release in self.releases]
            self._number_done, self._say_done = self._done.size(), self._done.enqueue(worker)

    def make_ready(self, session: Any, *, first: int) -> None:
        """Lets the other workers begin, with this step of theirs. The variables must be set."""
        session.run(self._begin, {self._first: first})
        session.run(self._make_ready)

    def end_for_all(self, session: Any) -> None:
        """From now on nobody waits for this worker: in step with each other, all end."""
        self.end_arrivals(session)
        if self.worker == 0:
            for close in self._no_releases:
                _close(session, close)

    def end_arrivals(self, session: Any) -> None:
        """No step begins any more; one that all have arrived at is still done."""
        _close(session, self._no_arrivals)

    def end_own_wait(self, session: Any) -> None:
        """This worker waits for the chief no more."""
        _close(session, self._no_releases[self.worker])

    def halt_all(self, session: Any, *, by: int = _BY_HOOK) -> None:
        """Asks all to stop after the step that they are in.

        Args:
            by: the signal that this comes from.
        """
        session.run(self._halt, {self._by: by})

    def halted_by(self, session: Any) -> signal.Signals | None:
        """The signal because of which all were asked to stop."""
        by = int(session.run(self.halt))
        return signal.Signals(by) if by > 0 else None

    def say_done(self, session: Any) -> None:
        session.run(self._say_done)

    def wait_until_done(self, session: Any, *, stopping: Callable[[], bool]) -> None:
        """Waits until all other workers have said so.

        Args:
            stopping: whether all were asked to stop; then it does not wait for long.
        """
        next_word, until = time.monotonic() + _NEXT_WORD, math.inf
        while (done := int(session.run(self._number_done))) < self.workers - 1:
            if time.monotonic() > next_word:
                next_word += _NEXT_WORD
                log_line(f"waiting for the other workers: {done} of {self.workers - 1} are done")
            if stopping():
                until = min(until, time.monotonic() + _TO_FOLLOW)
            if time.monotonic() > until:
                warn_line(f"{self.workers - 1 - done} other workers have not ended: what they do now is not saved")
                break
            time.sleep(_LOOK_AGAIN)


class StopWithOthers(tf.train.SessionRunHook):
    """Ends this worker's steps when another has asked all to stop."""

    def __init__(self, signals: Signals) -> None:
        self._signals = signals

    def before_run(self, run_context: Any) -> Any:
        del run_context
        return tf.train.SessionRunArgs(self._signals.halt)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if run_values.results:
            run_context.request_stop()


def _close(session: Any, close: Any) -> None:
    with contextlib.suppress(tf.errors.CancelledError):  # another has done it
        session.run(close)


def _counter(name: str) -> Any:
    return tf.Variable(tf.constant(0, tf.int64), name=name, collections=[], trainable=False, use_resource=True)


def _queue(name: str) -> Any:
    return tf.queue.FIFOQueue(-1, [tf.int32], shapes=[()], shared_name=name, name=name)
