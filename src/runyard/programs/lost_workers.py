"""Which worker can be started again alone, while the others go on."""

from pathlib import Path

from runyard.cluster import Cause, Exited, Member, Place, Role
from runyard.legacy.sources import ProgramSources
from runyard.legacy.usage import other_imports, tensorflow_uses, words
from runyard.legacy.verdict import TensorFlowVersion, judge
from runyard.programs.departure import leave_sign

_IN_STEP = "SyncReplicasOptimizer"


def works_asynchronously(sources: ProgramSources, *, asked: TensorFlowVersion | None) -> bool:
    """Whether the workers of a program with parameter servers need nothing of each other.

    That is so for sessions of TensorFlow 1, unless the workers train in step. `mox.run` has a way of its own.

    Args:
        asked: which TensorFlow the user said that it is for.
    """
    by_session = judge(sources, asked=asked).version == 1 or any(
        use.name.startswith("compat.v1") for source in sources.sources for use in tensorflow_uses(source)
    )
    by_moxing = any(name.startswith("moxing") for source in sources.sources for _, name in other_imports(source))
    in_step = any(_IN_STEP in words(source) for source in sources.sources)
    return by_session and not by_moxing and not in_step


class LostWorkers:
    """Asked by the supervisor about each member that has ended.

    The first worker is no such: it makes the variables and saves them.

    Args:
        folder: where members leave signs for each other.
        times: how often it may be, in all.
    """

    def __init__(self, folder: Path, *, times: int) -> None:
        self._folder = folder
        self._times = times

    def start_alone(self, place: Place, exited: Exited) -> bool:
        if self._times > 0 and exited.cause is Cause.CRASHED and _can_be_missed(place.member):
            self._times -= 1
            return True
        leave_sign(self._folder, place)
        return False


def _can_be_missed(member: Member) -> bool:
    return member.role is Role.WORKER and member.index > 0
