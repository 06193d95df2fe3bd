"""A process that is one of several that run a program: who it is, and how the program is told."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields

from runyard.cluster import MemberFlags, Place, Shape, who_am_i
from runyard.cluster.among_workers import among_workers
from runyard.legacy.moxing_flags import moxing_flags_given
from runyard.legacy.sources import ProgramSources
from runyard.legacy.usage import words
from runyard.legacy.verdict import Verdict
from runyard.telemetry import note

_VARIABLE = "RUNYARD_PROGRAM"
_NAMES = tuple(field.name for field in fields(MemberFlags))


@dataclass(frozen=True)
class Orders:
    """What a local supervisor tells its members beside their command line.

    Args:
        folder: where members leave signs for each other.
        safe_path: Python was asked not to look for modules in the program's folder.
    """

    folder: str
    safe_path: bool

    def variables(self) -> dict[str, str]:
        return {_VARIABLE: json.dumps(asdict(self))}


def orders_of_supervisor() -> Orders | None:
    """None in a process that was started by somebody else. What the program starts is no member, so it is told once."""
    told = os.environ.pop(_VARIABLE, "")
    return Orders(**json.loads(told)) if told else None


def place_of_member(arguments: Sequence[str]) -> Place | None:
    """The place that TF_CONFIG or the program's arguments give this process; None: it is to start the members.

    Raises:
        ConfigError: if they make no sense.
    """
    return who_am_i(tf_config=os.environ.get("TF_CONFIG"), flags=flags_in(arguments))


def tell_who_wins(place: Place, *, asked: Shape) -> None:
    """The cluster has been made already, whatever the command asks for. One of its members says so."""
    remark = asked.overruled_by(among_workers(place).cluster.shape, source="TF_CONFIG or --worker_hosts")
    if remark is not None and place.is_chief:
        note(remark)


def flags_in(arguments: Sequence[str]) -> MemberFlags:
    """Those of the four flags that the user wrote."""
    return MemberFlags(**{flag.name: flag.value or "" for flag in moxing_flags_given(arguments) if flag.name in _NAMES})


def told_who_it_is(
    arguments: Sequence[str], *, place: Place, sources: ProgramSources, verdict: Verdict
) -> Sequence[str]:
    """The program's arguments with the four flags, unless they are there already or nothing would read them.

    A program for TensorFlow 2 reads TF_CONFIG, and may take flags that it does not know for a mistake: it gets them
    only if it names one of them.
    """
    takes_flags = verdict.version == 1 or any(name in _NAMES for source in sources.sources for name in words(source))
    if not takes_flags or flags_in(arguments).given():
        return arguments
    end = list(arguments).index("--") if "--" in arguments else len(arguments)
    return [*arguments[:end], *MemberFlags.of(among_workers(place)).arguments(), *arguments[end:]]
