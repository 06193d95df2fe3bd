"""What a worker does about the others when it ends before its last step.

Its steps may be in a call that waits for another worker, or may have been interrupted in one. So this happens in
threads with a graph and a session of their own: those of the steps may be locked for ever.
"""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.cluster_signals import Signals
from moxing.tensorflow.executor.cluster_waiting import is_reached, missing_servers
from runyard.cluster import Place
from runyard.telemetry import show_error

_TO_ABANDON = 5.0
_FOR_CHIEF = 5.0
"""Seconds that a worker in step waits for a chief that is there to end the step, before it ends it by itself."""
_LOOK_AGAIN = 0.5


@dataclass(frozen=True, kw_only=True)
class EarlyEnd:
    """Of one worker in one run.

    Args:
        target: the server of this process.
        synchronous: all workers take each step together.
        over: set when the session of the run is closed: it has no use for parameter servers any more.
    """

    membership: Place
    run: int
    target: str
    config: Any
    synchronous: bool
    over: threading.Event = field(default_factory=threading.Event)

    def abandon(self) -> None:
        """Something has gone wrong here: nobody is to wait for this worker."""
        _in_thread(lambda: self._tell(self._give_up)).join(_TO_ABANDON)

    def stop(self, number: signal.Signals) -> None:
        """A signal has come. Returns at once.

        Workers in step stop together, whichever of them was asked; otherwise the chief stops all, and the others
        themselves. Without the parameter servers nothing can be saved, and the steps would wait for them for ever.
        """
        _in_thread(lambda: self._stop(number))
        _in_thread(lambda: self._end_without_servers(number))

    def _give_up(self, signals: Signals, session: Any) -> None:
        if self.synchronous:
            signals.end_for_all(session)
        elif self.membership.is_chief:
            signals.halt_all(session)
        else:
            signals.say_done(session)

    def _stop(self, number: signal.Signals) -> None:
        def ask_others(signals: Signals, session: Any) -> None:
            signals.halt_all(session, by=number)
            if self.synchronous:
                signals.end_arrivals(session)

        if self.synchronous or self.membership.is_chief:
            self._tell(ask_others)
        if self.synchronous and not self.membership.is_chief:
            until = time.monotonic() + _FOR_CHIEF
            while time.monotonic() < until and is_reached(self.membership.cluster.worker[0]):
                time.sleep(_LOOK_AGAIN)
            self._tell(Signals.end_own_wait)

    def _tell(self, action: Callable[[Signals, Any], None]) -> None:
        with contextlib.suppress(tf.errors.OpError), tf.Graph().as_default():
            workers = len(self.membership.cluster.worker)
            signals = Signals(run=self.run, worker=self.membership.member.index, workers=workers)
            with tf.Session(self.target, config=self.config) as session:
                action(signals, session)

    def _end_without_servers(self, number: signal.Signals) -> None:
        looks = 0
        while not self.over.wait(_LOOK_AGAIN):
            missing = missing_servers(self.membership)
            looks = looks + 1 if missing else 0
            if looks > 1:
                word = "interrupted" if number is signal.SIGINT else "terminated"
                show_error(f"{word}: {missing[0]} is gone, so nothing more can be saved; the last checkpoint stays")
                os._exit(128 + number)


def _in_thread(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread
