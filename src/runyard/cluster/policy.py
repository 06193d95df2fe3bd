"""What comes after a failure: a small pure object.

- A crash (a signal, an abort, a hang) starts all members again from the newest checkpoint. `max_restarts` bounds how
  often that may happen in a row without getting any further. Further means: a round began from a later step than the
  round before, so a newer checkpoint was written in between. The highest step that was reached would not do: a job that
  always crashes at the same place reaches it again and again.
- Preemptions have a budget of their own, which counts all of them and is not given back.
- A member that fell too often is given up when `min_workers` allows: the job goes on with one worker less.
- Errors that the program itself reports are never repeated. Neither is anything once a stop was asked for.
"""

import signal
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from runyard.cluster.events import Cause, Completed, Event, Failure, NotStarted, Stopped
from runyard.cluster.members import Role

if TYPE_CHECKING:
    from runyard.config.train_args import Restart as RestartKeys

_MOST_PORT_TRIES = 5
_LONGEST_PAUSE = 30.0
_RESUMING = "going on from the newest checkpoint"


@dataclass(frozen=True)
class Restart:
    """Start all again, from the newest checkpoint, after a pause."""

    why: str
    pause: float = 0.0


@dataclass(frozen=True)
class RestartSmaller:
    """Start again with fewer workers, from the newest checkpoint."""

    why: str
    workers: int


@dataclass(frozen=True)
class Fail:
    """Give up."""

    why: str
    exit_code: int


@dataclass(frozen=True)
class Finish:
    """The job is done, or was stopped as asked."""

    exit_code: int = 0


Decision = Restart | RestartSmaller | Fail | Finish


@dataclass(frozen=True, kw_only=True)
class Tally:
    """What has happened so far.

    Args:
        workers: that the job has now.
        restarts: after crashes, since the job last got any further.
        preemptions: in all.
        port_tries: starts in a row that failed because a port was taken.
        fruitless: restarts of any kind since the job last got any further.
        began_at: the step from which the last round began that is known to have begun.
    """

    workers: int
    restarts: int = 0
    preemptions: int = 0
    port_tries: int = 0
    fruitless: int = 0
    began_at: int | None = None


@dataclass(frozen=True, kw_only=True)
class FailurePolicy:
    """The keys of `train_args.restart`.

    Args:
        max_preemptions: None: any number.
        min_workers: None: all that there are.
        pause: seconds before the second restart that got no further; doubled for each one after it.
    """

    max_restarts: int = 3
    max_preemptions: int | None = None
    min_workers: int | None = None
    pause: float = 1.0

    @classmethod
    def of(cls, keys: "RestartKeys") -> "FailurePolicy":
        return cls(max_restarts=keys.max_restarts, max_preemptions=keys.max_preemptions, min_workers=keys.min_workers)

    def decide(
        self, tally: Tally, event: Event, *, began_at: int | None = None, stop: signal.Signals | None = None
    ) -> tuple[Decision, Tally]:
        """What to do now, and what to remember.

        Args:
            began_at: the step from which this round began; None: it never came so far.
            stop: the signal by which somebody asked the group to stop.
        """
        if isinstance(event, Completed):
            return Finish(), tally
        tally = _after_round(tally, began_at=began_at)
        if not isinstance(event, Stopped) and event.cause is Cause.OWN_ERROR:
            return Fail(str(event), event.number), tally
        if stop is not None:
            return Finish(128 + stop), tally
        if isinstance(event, Stopped):
            raise ValueError("a group that was not asked to stop cannot have stopped")
        if event.cause is Cause.PORT_TAKEN:
            return self._after_taken_port(tally, event)
        if isinstance(event, NotStarted):
            return self._give_up_on_one(tally, event, because="")
        if event.cause is Cause.PREEMPTED:
            return self._after_preemption(tally, event)
        return self._after_crash(tally, event)

    def _after_crash(self, tally: Tally, event: Failure) -> tuple[Decision, Tally]:
        if tally.restarts >= self.max_restarts:
            tried = f"{tally.restarts} of {self.max_restarts} restarts brought it no further (restart.max_restarts)"
            because = f"; {tried}" if self.max_restarts else "; restart.max_restarts is 0"
            return self._give_up_on_one(tally, event, because=because)
        restarts = tally.restarts + 1
        why = f"{event}; restart {restarts} of {self.max_restarts}"
        return self._again(replace(tally, restarts=restarts), why)

    def _after_preemption(self, tally: Tally, event: Failure) -> tuple[Decision, Tally]:
        allowed = self.max_preemptions
        if allowed is not None and tally.preemptions >= allowed:
            because = f"; it is the job's preemption {tally.preemptions + 1}, and restart.max_preemptions is {allowed}"
            return self._give_up_on_one(tally, event, because=because)
        why = f"{event.member} was preempted"
        return self._again(replace(tally, preemptions=tally.preemptions + 1), why)

    def _after_taken_port(self, tally: Tally, event: Failure) -> tuple[Decision, Tally]:
        tries = tally.port_tries + 1
        if tries >= _MOST_PORT_TRIES:
            return Fail(f"{event}, {tries} times in a row", event.number), tally
        return Restart(f"{event}; starting with other ports"), replace(tally, port_tries=tries)

    def _again(self, tally: Tally, why: str) -> tuple[Decision, Tally]:
        pause = 0.0 if tally.fruitless == 0 else min(self.pause * 2 ** (tally.fruitless - 1), _LONGEST_PAUSE)
        return Restart(f"{why}; {_RESUMING}", pause), replace(tally, fruitless=tally.fruitless + 1, port_tries=0)

    def _give_up_on_one(self, tally: Tally, event: Failure, *, because: str) -> tuple[Decision, Tally]:
        left = tally.workers - 1
        is_worker = event.member is not None and event.member.role is Role.WORKER
        if is_worker and self.min_workers is not None and left >= max(self.min_workers, 1):
            smaller = replace(tally, workers=left, restarts=0, fruitless=0, port_tries=0)
            why = f"{event}{because}; {_RESUMING} with {left} of {tally.workers} workers"
            return RestartSmaller(why, left), smaller
        if is_worker and self.min_workers is not None:
            because += f"; restart.min_workers is {self.min_workers}, so the job cannot go on with fewer"
        return Fail(f"{event}{because}", event.number), tally


def _after_round(tally: Tally, *, began_at: int | None) -> Tally:
    if began_at is None:
        return tally
    if tally.began_at is not None and began_at > tally.began_at:
        tally = replace(tally, restarts=0, fruitless=0)
    return replace(tally, began_at=began_at, port_tries=0)
