"""What a person reads when a group has failed: the error of the member that failed first."""

from runyard.cluster.events import EndedEarly, Exited, Failure, Hung
from runyard.cluster.members import Member
from runyard.cluster.merged_log import MergedLog

_MOST_LINES = 40
_LINES_WITHOUT_ERROR = 10
_BEGINNINGS = ("error:", "Traceback (most recent call last)")
_ENDED_BY_SCRIPT = (
    "something in the script has ended the process, such as os._exit; "
    "an observer ends a training with run.request_stop(reason)"
)


def error_lines(lines: list[str]) -> list[str]:
    """The part that tells of an error: from its beginning on, or the last lines if it has none."""
    last = lines[-_MOST_LINES:]
    starts = [index for index, line in enumerate(last) if line.startswith(_BEGINNINGS)]
    return last[starts[0] :] if starts else last[-_LINES_WITHOUT_ERROR:]


def tells_an_error(lines: list[str]) -> bool:
    return any(line.startswith(_BEGINNINGS) for line in lines)


def failure_report(failure: Failure, why: str, *, log: MergedLog) -> str:
    """The failure, the words of the member itself unless they were shown last, and where to find them all."""
    if isinstance(failure, Hung):
        return f"{why}\n  the stacks of all members are in {log.folder}"
    member = failure.member
    place = f"  all that it wrote is in {log.file_of(member)}"
    if isinstance(failure, EndedEarly):
        return f"{why}\n  hint: {_ENDED_BY_SCRIPT}\n{place}"
    lines = error_lines(log.tail(member))
    quoted = [] if lines == error_lines(log.shown_last()) else [f"[{member}] {line}" for line in lines]
    return "\n".join([why + _where_else(failure, lines, log=log), *quoted, place])


def _where_else(failure: Failure, lines: list[str], *, log: MergedLog) -> str:
    """Who else has ended with the same error: a mistake in the script is on all workers, one of a machine is not."""
    if not isinstance(failure, Exited) or not lines or not lines[0].startswith(_BEGINNINGS):
        return ""
    alike = [each for each in log.members if error_lines(log.tail(each)) == lines]
    if len(alike) == 1:
        return ""
    return f", with the same error on {_named(alike, of=log.members)}"


def _named(members: list[Member], *, of: tuple[Member, ...]) -> str:
    if len(members) == len(of):
        return f"all {len(of)} workers"
    return ", ".join(map(str, members))
