"""One start of all members of a group, watched until the last of them has ended."""

import signal
import time
from collections.abc import Collection

from runyard.cluster.events import Cause, Completed, EndedEarly, Event, Exited, Failure, Hung, Stopped
from runyard.cluster.group import Group
from runyard.cluster.layout import Layout
from runyard.cluster.liveness import Liveness
from runyard.cluster.members import Member
from runyard.cluster.merged_log import MergedLog
from runyard.cluster.report import tells_an_error
from runyard.cluster.spec import GroupSpec
from runyard.cluster.stacks import DUMP_SIGNAL
from runyard.cluster.stop_requests import StopRequests
from runyard.errors import Interrupted, Terminated

_GRACE = 3.0
"""Seconds that members have to end after another has failed. They cannot save: that takes all of them."""
_TO_SAY_THE_SAME = 0.5
"""Seconds that members have to come to the same error as the first, before they are asked to end because of it."""
_TO_SAVE = 30.0
"""Seconds after which the others of a group that is stopping should have followed the first."""
_TO_DUMP = 2.0
_LONGEST_WAIT = 0.5
_PORT_TAKEN = ("Address already in use", "Could not start gRPC server")


class Round:
    """Who failed first, who has to end because of it, and until when.

    Args:
        speaker: the member whose lines are shown.
    """

    def __init__(
        self, group: Group, *, layout: Layout, speaker: Member, stop: StopRequests, log: MergedLog, liveness: Liveness
    ) -> None:
        self._group = group
        self._layout = layout
        self._speaker = speaker
        self._stop = stop
        self._log = log
        self._liveness = liveness
        self._failure: Failure | None = None
        self._asked = False
        self._over = False
        self._stopped = False
        self._saves = True
        self._deadline: float | None = None
        self._patient = False
        self._ask_at: float | None = None

    def run(self, spec: GroupSpec) -> Event:
        """Starts the members and returns when all have ended."""
        self._saves = spec.saves
        if not_started := self._group.start(spec, self._layout):
            self._fail(not_started)
        while self._group.running:
            for exited in self._group.wait(min(_LONGEST_WAIT, spec.hang_timeout / 10)):
                if not self._started_again(exited, spec):
                    self._take_in(exited)
            self._look_for_stop()
            self._look_for_hang()
            self._look_at_deadline()
        return self._failure or (Stopped() if self._stopped else Completed())

    @property
    def _drivers(self) -> Collection[Member]:
        return [member for member in self._group.running if not self._layout.is_server(member)]

    def _started_again(self, exited: Exited, spec: GroupSpec) -> bool:
        """Starts the one that has ended again, where the others can go on meanwhile."""
        is_ending = self._failure or self._over or self._stop.received
        if is_ending or not spec.starts_alone(self._group.place_of(exited.member), exited):
            return False
        self._log.mark(f"{exited}; it alone is started again")
        self._log.tell(f"{exited}; it alone is started again, the others go on")
        if not_started := self._group.start_one(spec, exited.member):
            self._fail(not_started)
        return True

    def _take_in(self, exited: Exited) -> None:
        if not self._failure and not self._over:
            if self._asked and exited.number in (Interrupted.exit_code, Terminated.exit_code):
                self._stopped = True
                if self._deadline is None:
                    self._end_by(_TO_SAVE, patient=True)
            elif exited.code != 0:
                self._fail(self._looked_at(exited))
            elif self._liveness.is_unfinished(exited.member):
                self._fail(EndedEarly(exited.member))
        if not self._drivers and not self._over:
            self._over = True
            if self._deadline is None or self._patient:
                self._end(self._group.running, within=_GRACE)

    def _fail(self, failure: Failure) -> None:
        """What comes from the others from now on is only a consequence of this."""
        self._failure = failure
        if failure.member != self._speaker or isinstance(failure, Hung):
            self._log.hush()
        if isinstance(failure, Hung):
            self._log.mark(f"{failure}; the stacks of all threads follow")
            self._group.send(DUMP_SIGNAL, to=self._liveness.speaking.intersection(self._group.running))
            self._end_by(_TO_DUMP)
        elif failure.cause is Cause.PREEMPTED:
            self._end(self._drivers, within=_TO_SAVE, patient=True)
        elif failure.cause is Cause.OWN_ERROR:
            self._ask_at = time.monotonic() + _TO_SAY_THE_SAME
        else:
            self._end(self._group.running, within=_GRACE)

    def _looked_at(self, exited: Exited) -> Exited | EndedEarly:
        """Programs that do not know our exit code for it say in words that their port is taken; scripts say nothing."""
        by_script = exited.cause is Cause.OWN_ERROR and self._liveness.is_unfinished(exited.member)
        if by_script and not tells_an_error(self._log.tail(exited.member)):
            return EndedEarly(exited.member, exited.code)
        if self._liveness.began_at is not None or exited.code < 0:
            return exited
        said = any(mark in line for line in self._log.tail(exited.member) for mark in _PORT_TAKEN)
        return Exited(exited.member, exited.code, port_taken=said)

    def _end(self, members: Collection[Member], *, within: float, patient: bool = False) -> None:
        self._group.send(signal.SIGTERM, to=list(members))
        self._end_by(within, patient=patient)

    def _end_by(self, seconds: float, *, patient: bool = False) -> None:
        self._deadline, self._patient = time.monotonic() + seconds, patient

    def _look_for_stop(self) -> None:
        if self._stop.urgent and not self._over:
            self._over = self._stopped = True
            self._log.tell("asked a second time: all members are ended at once; the newest checkpoint stays")
            self._group.kill()
        elif self._stop.received and not self._asked:
            self._asked = True
            if not self._failure and not self._over:
                end = "save and end" if self._saves else "end"
                self._log.tell(f"all members are asked to {end}; a second Ctrl-C or SIGTERM ends them at once")
                self._group.send(self._stop.received, to=self._drivers)

    def _look_for_hang(self) -> None:
        if not self._failure and not self._over and (hung := self._hung()):
            self._fail(hung)

    def _look_at_deadline(self) -> None:
        if self._ask_at is not None and time.monotonic() > self._ask_at:
            self._ask_at = None
            self._end(self._group.running, within=_GRACE)
        if self._deadline is None or time.monotonic() < self._deadline:
            return
        # One that is known to be saving may take its time, as long as it lives.
        if self._patient and self._liveness.anyone_busy(self._group.running) and not self._hung():
            return
        self._deadline = None
        self._group.kill()

    def _hung(self) -> Hung | None:
        return self._liveness.hung(self._group.running, now=time.monotonic())
