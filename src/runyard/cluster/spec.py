"""What is asked of the supervisor, and what comes of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from runyard.cluster.events import Exited
from runyard.cluster.layout import Layout
from runyard.cluster.members import Place
from runyard.cluster.policy import FailurePolicy


def _nobody(place: Place, exited: Exited) -> bool:
    return False


@dataclass(frozen=True, kw_only=True)
class GroupSpec:
    """A job as processes on this machine.

    Args:
        command: the command line of each member. Its place in the cluster is in TF_CONFIG as well.
        log_dir: gets a file for each member, such as `worker-1.log`.
        env: variables beside those of this process.
        hang_timeout: seconds without a sign of life, or without progress, after which a group hangs.
        verbose: whether lines of all members are shown.
        saves: whether members that are asked to end save what they have.
        starts_alone: asked of each member that has ended, however it did, while the others go on: whether it alone is
            to be started again, at its old address.
    """

    command: Callable[[Place], Sequence[str]]
    layout: Layout
    log_dir: Path
    policy: FailurePolicy = field(default_factory=FailurePolicy)
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    hang_timeout: float = 600.0
    verbose: bool = False
    saves: bool = True
    starts_alone: Callable[[Place, Exited], bool] = _nobody


@dataclass(frozen=True)
class Ending:
    """How a group ended.

    Args:
        exit_code: 0, that of the first member that failed, or 128 + the signal that asked for the end.
        why: what was shown to the person; empty if all went well.
        rounds: how often all members were started.
        workers: that were left.
    """

    exit_code: int
    why: str
    rounds: int
    workers: int
