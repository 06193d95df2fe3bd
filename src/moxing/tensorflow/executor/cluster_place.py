"""One worker among several: where its variables live, and what it does with the others."""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.cluster_devices import VariableServers
from moxing.tensorflow.executor.cluster_server import leave_with
from moxing.tensorflow.executor.cluster_sessions import START_ALL_AGAIN, Joining, OpenedOnce
from moxing.tensorflow.executor.cluster_signals import Signals, StopWithOthers
from moxing.tensorflow.executor.cluster_steps import together
from moxing.tensorflow.executor.cluster_stopping import EarlyEnd
from moxing.tensorflow.executor.gradients import Pair
from moxing.tensorflow.executor.place import Device, Place
from runyard.cluster import Heartbeat, Phase
from runyard.cluster import Place as Membership
from runyard.cluster.signals import StopSignals
from runyard.errors import PeerLost

_heartbeat = cache(Heartbeat.of_this_process)


@dataclass(frozen=True, kw_only=True)
class ClusterPlace(Place):
    """A worker. Variables live on the parameter servers, one after the other.

    Attributes:
        synchronous: all workers take each step together.
        only_chief_counts: asynchronous workers other than the chief leave the global step alone.
        run: which call of `mox.run` of the process it is.
    """

    membership: Membership
    servers: VariableServers
    synchronous: bool
    only_chief_counts: bool
    run: int

    is_local = False

    @property
    def counts_global_step(self) -> bool:
        return self.is_chief or not self.only_chief_counts

    @property
    def has_uncounted_steps(self) -> bool:
        return self.only_chief_counts and not self.synchronous

    @property
    def acts_for_all(self) -> bool:
        return not self.synchronous or self.is_chief

    def device(self, clone: int) -> Device:
        return self.servers.beside(self.clone_devices[clone])

    @contextmanager
    def building(self) -> Iterator[None]:
        """Local variables, such as those of `tf.metrics`, are this worker's own."""

        def create(make: Callable[..., Any], **wanted: Any) -> Any:
            if tf.GraphKeys.LOCAL_VARIABLES not in (wanted.get("collections") or ()):
                return make(**wanted)
            with tf.device(self.input_device):
                return make(**wanted)

        with tf.variable_creator_scope(create):
            yield

    def apply(
        self, pairs_of_losses: Sequence[Sequence[Pair]], update: Callable[[Sequence[Sequence[Pair]]], Any]
    ) -> Any:
        if self.synchronous:
            return together(pairs_of_losses, update, signals=self._signals, run=self.run)
        with tf.control_dependencies([update(pairs_of_losses)]):
            return self._signals.own_steps.assign_add(1, read_value=False)

    def open_session(self, *, initialize: Callable[[Any], None], saver: Any, hooks: Sequence[Any]) -> Any:
        signals = self._signals
        all_hooks = list(hooks) if self.synchronous else [*hooks, StopWithOthers(signals)]
        if not self.is_chief:
            creator: Any = Joining(
                tf.train.Scaffold(saver=saver, summary_op=tf.no_op()),
                target=self.target,
                config=self.config,
                ready=signals.is_ready,
            )
            return tf.train.MonitoredSession(
                session_creator=OpenedOnce(creator) if self.synchronous else creator, hooks=all_hooks
            )

        def begin(_: Any, session: Any) -> None:
            if self.synchronous and session.run(signals.is_ready):
                self._refuse_to_take_over(session)
            session.run(signals.make_unready)
            initialize(session)
            done = Place.begin(self, session)
            signals.make_ready(session, first=done if self.only_chief_counts else done // self.num_workers)

        scaffold = tf.train.Scaffold(init_op=tf.no_op(), init_fn=begin, saver=saver, summary_op=tf.no_op())
        creator = tf.train.ChiefSessionCreator(scaffold, master=self.target, config=self.config)
        return tf.train.MonitoredSession(session_creator=OpenedOnce(creator), hooks=all_hooks)

    def session_closed(self) -> None:
        self._early_end.over.set()

    def begin(self, session: Any) -> int:
        """Asynchronous workers count their steps themselves; after a restart each goes on from its part of them."""
        done = super().begin(session)
        _heartbeat().beat(done, phase=Phase.STARTING)
        return done if self.synchronous else int(session.run(self._signals.own_steps))

    def global_number(self, session: Any, step: int) -> int:
        return step if self.synchronous else super().begin(session)

    def abandon(self) -> None:
        self._early_end.abandon()

    def asked_to_stop(self, number: signal.Signals) -> None:
        self._early_end.stop(number)

    def steps_done(self, session: Any, step: int) -> int:
        """A step of workers that are in step may have been done when the chief could not tell another so."""
        return super().steps_done(session, step) if self.synchronous and self.is_chief else step

    def leave(self, session: Any, *, stopped: bool, signals: StopSignals) -> None:
        self._let_others_end(session, stopped=stopped, signals=signals)
        if (by := self._signals.halted_by(session)) is not None:
            signals.adopt(by)
        if signals.received is not None:
            leave_with(self.membership, 128 + signals.received)

    def _let_others_end(self, session: Any, *, stopped: bool, signals: StopSignals) -> None:
        others = self._signals
        if self.synchronous:
            others.end_for_all(session)
        elif not self.is_chief:
            others.say_done(session)
        else:
            if stopped and signals.received is None:
                others.halt_all(session)
            others.wait_until_done(session, stopping=lambda: signals.received is not None)

    def _refuse_to_take_over(self, session: Any) -> None:
        """An earlier chief has begun with these workers, and nobody knows how far their step had come."""
        self._signals.end_for_all(session)
        raise PeerLost(
            "workers that are in step cannot go on with a new first worker",
            hint=START_ALL_AGAIN,
        )

    @cached_property
    def _signals(self) -> Signals:
        return Signals(run=self.run, worker=self.task_index, workers=self.num_workers)

    @cached_property
    def _early_end(self) -> EarlyEnd:
        return EarlyEnd(
            membership=self.membership,
            run=self.run,
            target=self.target,
            config=self.config,
            synchronous=self.synchronous,
        )
