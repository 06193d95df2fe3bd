"""What can end a round of a group: one start of all its processes."""

import signal
from dataclasses import dataclass
from enum import Enum, auto

from runyard.cluster.members import Member
from runyard.errors import AddressInUse, CallbackFailed, Interrupted, PeerLost, PlatformError, Terminated

_SIGNALS = {int(number): number for number in signal.Signals}


class Cause(Enum):
    """Why a process ended, as far as it matters for what comes next."""

    CRASHED = auto()
    """It was killed, aborted, hung, or lost a peer: it may go well the next time."""
    PREEMPTED = auto()
    """Somebody wants the machine back."""
    PORT_TAKEN = auto()
    OWN_ERROR = auto()
    """The program itself decided to fail. It would do so again."""


@dataclass(frozen=True)
class Completed:
    """Everyone who is waited for ended well."""


@dataclass(frozen=True)
class Stopped:
    """All ended because they were asked to."""


@dataclass(frozen=True)
class Exited:
    """The first member that failed.

    Args:
        code: as in `subprocess`: negative for a signal.
    """

    member: Member
    code: int
    port_taken: bool = False

    @property
    def cause(self) -> Cause:
        """Codes above 128 are how shells and containers tell of a signal."""
        by_signal = self.code < 0 or self.code - 128 in _SIGNALS
        if self.port_taken or self.code == AddressInUse.exit_code:
            return Cause.PORT_TAKEN
        if self.number == Terminated.exit_code:
            return Cause.PREEMPTED
        if self.code == PeerLost.exit_code or (by_signal and self.number != Interrupted.exit_code):
            return Cause.CRASHED
        return Cause.OWN_ERROR

    @property
    def number(self) -> int:
        """Its exit code, as a shell would show it."""
        return 128 - self.code if self.code < 0 else self.code

    def __str__(self) -> str:
        if self.cause is Cause.PORT_TAKEN:
            return f"{self.member} found its port taken"
        if self.code < 0:
            return f"{self.member} was killed by {_SIGNALS[-self.code].name if -self.code in _SIGNALS else -self.code}"
        return f"{self.member} ended with code {self.code}"


@dataclass(frozen=True)
class Hung:
    """The members got no further.

    Args:
        member: the one that was silent; None: all were alive.
        why: in words, with the steps that they had reached.
    """

    member: Member | None
    why: str
    cause = Cause.CRASHED
    number = PeerLost.exit_code

    def __str__(self) -> str:
        return self.why


@dataclass(frozen=True)
class NotStarted:
    """The machine has no room for this member."""

    member: Member
    why: str
    cause = Cause.CRASHED
    number = PlatformError.exit_code

    def __str__(self) -> str:
        return f"{self.member} cannot be started: {self.why}"


@dataclass(frozen=True)
class EndedEarly:
    """A member ended without an error, but its work was not done: something in the script has ended the process."""

    member: Member
    code: int = 0
    cause = Cause.OWN_ERROR
    number = CallbackFailed.exit_code

    def __str__(self) -> str:
        return f"{self.member} ended too early: with code {self.code}, but before the training was over"


Failure = Exited | Hung | NotStarted | EndedEarly
Event = Completed | Stopped | Failure
