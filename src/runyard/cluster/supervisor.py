"""Runs a job as processes of this machine, and starts them again where that helps."""

import sys
import time
import uuid
from contextlib import closing
from dataclasses import dataclass, replace

from runyard.cluster.events import Completed, Event, Stopped
from runyard.cluster.group import Group
from runyard.cluster.liveness import Liveness
from runyard.cluster.merged_log import MergedLog
from runyard.cluster.policy import Fail, Finish, RestartSmaller, Tally
from runyard.cluster.report import failure_report
from runyard.cluster.round import Round
from runyard.cluster.screen import Screen
from runyard.cluster.spec import Ending, GroupSpec
from runyard.cluster.stop_requests import StopRequests
from runyard.cluster.watchdog import Watchdog
from runyard.errors import PlatformError
from runyard.telemetry import note, show_error


def supervise(spec: GroupSpec) -> Ending:
    """Starts all members and returns when the job is over.

    The lines of the chief (else of worker 0) are shown as they come. A failure is shown at the end, with the words of
    the member that failed first.

    Raises:
        StorageError: if the logs cannot be written.
        PlatformError: if this machine cannot do it at all.
    """
    if sys.platform != "linux":
        raise PlatformError("several processes of one job on one machine work on Linux only")
    with StopRequests() as stop, Watchdog(uuid.uuid4().hex) as watchdog:
        return _Supervisor(spec, stop=stop, watchdog=watchdog).run()


@dataclass(frozen=True)
class _RoundEnd:
    event: Event
    began_at: int | None
    log: MergedLog


class _Supervisor:
    def __init__(self, spec: GroupSpec, *, stop: StopRequests, watchdog: Watchdog) -> None:
        self._spec = spec
        self._layout = spec.layout
        self._stop = stop
        self._watchdog = watchdog
        self._screen = Screen()
        self._rounds = 0

    def run(self) -> Ending:
        """Round after round, as the policy decides."""
        tally = Tally(workers=self._layout.workers)
        while True:
            end = self._round()
            decision, tally = self._spec.policy.decide(
                tally, end.event, began_at=end.began_at, stop=self._stop.received
            )
            if isinstance(decision, Finish):
                self._tell_end(end)
                return self._ending(decision.exit_code)
            if isinstance(decision, Fail):
                return self._failed(decision, end)
            note(decision.why)
            if isinstance(decision, RestartSmaller):
                self._layout = replace(self._layout, workers=decision.workers)
            elif decision.pause:
                self._stop.wait(decision.pause)
            if self._stop.received is not None:
                end.log.show_farewells()
                return self._ending(128 + self._stop.received)

    def _round(self) -> _RoundEnd:
        self._rounds += 1
        members = list(self._layout.members())
        drivers = [member for member in members if not self._layout.is_server(member)]
        liveness = Liveness(drivers, hang_timeout=self._spec.hang_timeout, now=time.monotonic())
        log = MergedLog(
            self._spec.log_dir,
            members=members,
            speaker=members[0],
            screen=self._screen,
            verbose=self._spec.verbose,
            heading=f"{time.strftime('%Y-%m-%d %H:%M:%S')}, start {self._rounds}",
        )
        group = Group(screen=self._screen, watchdog=self._watchdog, stop=self._stop, log=log, liveness=liveness)
        with log, closing(group):
            watched = Round(group, layout=self._layout, speaker=members[0], stop=self._stop, log=log, liveness=liveness)
            return _RoundEnd(watched.run(self._spec), liveness.began_at, log)

    def _tell_end(self, end: _RoundEnd) -> None:
        """What a person wants to know who has stopped a job: whether anything is lost."""
        if isinstance(end.event, Completed):
            return
        told = end.log.show_farewells()
        if not isinstance(end.event, Stopped):
            note(f"{end.event} while the job was stopping; the newest checkpoint stays")
        elif self._spec.saves and not told and not self._stop.urgent:
            # Members say nothing before they train, or when they only had to save the model that came out of it.
            before = "stopped before the first step, so there was nothing to save"
            after = "stopped; the newest checkpoint stays, and the same command goes on"
            note(before if end.began_at is None else after)

    def _failed(self, decision: Fail, end: _RoundEnd) -> Ending:
        assert not isinstance(end.event, Completed | Stopped)
        end.log.show_farewells()
        show_error(failure_report(end.event, decision.why, log=end.log))
        return self._ending(decision.exit_code, why=decision.why)

    def _ending(self, exit_code: int, *, why: str = "") -> Ending:
        return Ending(exit_code, why, self._rounds, self._layout.workers)
