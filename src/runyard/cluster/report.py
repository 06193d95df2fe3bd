"""What a person reads when a group has failed: the error of the member that failed first."""

from runyard.cluster.events import Failure, Hung
from runyard.cluster.merged_log import MergedLog

_MOST_LINES = 40
_LINES_WITHOUT_ERROR = 10
_BEGINNINGS = ("error:", "Traceback (most recent call last)")


def error_lines(lines: list[str]) -> list[str]:
    """The part that tells of an error: from its beginning on, or the last lines if it has none."""
    last = lines[-_MOST_LINES:]
    starts = [index for index, line in enumerate(last) if line.startswith(_BEGINNINGS)]
    return last[starts[0] :] if starts else last[-_LINES_WITHOUT_ERROR:]


def failure_report(failure: Failure, why: str, *, log: MergedLog) -> str:
    """The failure, the words of the member itself unless they were shown last, and where to find them all."""
    if isinstance(failure, Hung):
        return f"{why}\n  the stacks of all members are in {log.folder}"
    member = failure.member
    quoted = [] if log.shows_only(member) else [f"[{member}] {line}" for line in error_lines(log.tail(member))]
    return "\n".join([why, *quoted, f"  all that it wrote is in {log.file_of(member)}"])
