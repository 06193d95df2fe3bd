"""Who hangs: judged from the messages of `heartbeat`, without processes and without a clock of its own."""

import contextlib
from collections.abc import Collection
from dataclasses import dataclass

from runyard.cluster.events import Hung
from runyard.cluster.heartbeat import ALIVE, DONE, WORKING, Phase
from runyard.cluster.members import Member

_TO_START = 60.0
"""Seconds of silence that are allowed before the first beat in any case: importing TensorFlow holds Python's lock all
the while, on a busy machine for long."""


@dataclass
class _Signs:
    heard: float
    moved: float
    spoke: bool = False
    phase: Phase = Phase.STARTING
    step: int | None = None
    unfinished: bool = False


class Liveness:
    """What is known of the members of one round.

    A member is *silent* when nothing has come from it for `hang_timeout`. All are *stuck* when they live, one is in a
    phase that moves, and nobody has got anything done for `hang_timeout` in which no one was in a phase that does not
    move: for such a one, or for one that still moves, the others wait rightly.

    Programs that know nothing of heartbeats are not judged. Once one member has spoken, all drivers must.

    Args:
        drivers: the members that beat. Those that only serve can be silent, but not stuck.
    """

    def __init__(self, drivers: Collection[Member], *, hang_timeout: float, now: float) -> None:
        self._drivers = frozenset(drivers)
        self._timeout = hang_timeout
        self._signs: dict[Member, _Signs] = {}
        self._waited_for_one = now
        self.began_at: int | None = None

    @property
    def speaking(self) -> frozenset[Member]:
        """Those that have been heard: they answer with their stacks."""
        return frozenset(member for member, signs in self._signs.items() if signs.spoke)

    def hear(self, member: Member, message: str, *, now: float) -> None:
        """Takes in a message."""
        if not self._signs:
            self._signs = {each: _Signs(now, now) for each in self._drivers}
        signs = self._signs.setdefault(member, _Signs(now, now))
        signs.heard, signs.spoke = now, True
        if message in (WORKING, DONE):
            signs.unfinished = message == WORKING
        if message in (ALIVE, WORKING, DONE):
            return
        with contextlib.suppress(ValueError):  # not one of ours
            step, _, phase = message.partition(" ")
            signs.step, signs.phase, signs.moved = int(step), Phase(phase), now
            if self.began_at is None:
                self.began_at = signs.step

    def is_unfinished(self, member: Member) -> bool:
        """Whether it has said that it works, and not that it is done."""
        return member in self._signs and self._signs[member].unfinished

    def anyone_busy(self, running: Collection[Member]) -> bool:
        """Whether one of the drivers is known to do something that takes long."""
        return any(not self._signs[each].phase.moves for each in self._drivers.intersection(running, self._signs))

    def hung(self, running: Collection[Member], *, now: float) -> Hung | None:
        """The judgement, over the members that have not ended."""
        if self.anyone_busy(running):
            self._waited_for_one = now
        watched = [each for each in running if each in self._signs]
        for member in watched:
            signs = self._signs[member]
            allowed = max(self._timeout, _TO_START) if signs.step is None else self._timeout
            if now - signs.heard > allowed:
                return Hung(member, f"{member} has been silent for {allowed:g} s")
        moving = [self._signs[each] for each in watched if self._signs[each].phase.moves]
        last = max([self._waited_for_one, *(signs.moved for signs in moving)])
        if moving and now - last > self._timeout:
            return Hung(None, f"no progress for {self._timeout:g} s: {self._where(watched)}")
        return None

    def _where(self, members: Collection[Member]) -> str:
        return ", ".join(f"{each} {self._signs[each].phase} at step {self._signs[each].step}" for each in members)
