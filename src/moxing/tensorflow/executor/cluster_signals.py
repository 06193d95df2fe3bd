"""What the processes of one run tell each other, through queues on the first parameter server."""

import contextlib
import time
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.lines import log_line

_HOME = "/job:ps/task:0/cpu:0"
_LOOK_AGAIN = 0.1
_NEXT_WORD = 60.0


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
            self._begin = tf.group([counter.assign(self._first) for counter in steps])
            self.own_steps = steps[worker]
            self.arrivals = _queue(f"mox_arrivals_{run}")
            self.releases = [_queue(f"mox_release_{run}_{each}") for each in range(workers)]
            self._done = _queue(f"mox_done_{run}")
            self._open = _queue(f"mox_open_{run}")
            self.stopped = self._open.is_closed()
            self._close = self._open.close()
            self._no_arrivals = self.arrivals.close()
            self._no_releases = [release.close() for release in self.releases]
            self._number_done, self._say_done = self._done.size(), self._done.enqueue(worker)

    def make_ready(self, session: Any, *, first: int) -> None:
        """Lets the other workers begin, with this step of theirs. The variables must be set."""
        session.run(self._begin, {self._first: first})
        session.run(self._make_ready)

    def end_for_all(self, session: Any) -> None:
        """From now on nobody waits for this worker: in step with each other, all end."""
        for close in [self._no_arrivals, *(self._no_releases if self.worker == 0 else [])]:
            with contextlib.suppress(tf.errors.CancelledError):  # another has done it
                session.run(close)

    def stop_all(self, session: Any) -> None:
        """Asks the others to stop after the step that they are in."""
        session.run(self._close)

    def say_done(self, session: Any) -> None:
        session.run(self._say_done)

    def wait_until_done(self, session: Any) -> None:
        """Waits until all other workers have said so."""
        next_word = time.monotonic() + _NEXT_WORD
        while (done := int(session.run(self._number_done))) < self.workers - 1:
            if time.monotonic() > next_word:
                next_word += _NEXT_WORD
                log_line(f"waiting for the other workers: {done} of {self.workers - 1} are done")
            time.sleep(_LOOK_AGAIN)


class StopWithOthers(tf.train.SessionRunHook):
    """Ends this worker's steps when another has asked all to stop."""

    def __init__(self, signals: Signals) -> None:
        self._signals = signals

    def before_run(self, run_context: Any) -> Any:
        del run_context
        return tf.train.SessionRunArgs(self._signals.stopped)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if run_values.results:
            run_context.request_stop()


def _counter(name: str) -> Any:
    return tf.Variable(tf.constant(0, tf.int64), name=name, collections=[], trainable=False, use_resource=True)


def _queue(name: str) -> Any:
    return tf.queue.FIFOQueue(-1, [tf.int32], shapes=[()], shared_name=name, name=name)
