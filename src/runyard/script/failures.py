"""The user's own traceback, from their file on."""

import traceback
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from runyard.errors import CallbackFailed
from runyard.script.ownership import is_users

_SHOWN_LIBRARY_FRAMES = 1


def callback_failure(error: BaseException, *, doing: str, folder: Path) -> CallbackFailed:
    """What the user sees when their code raises: what Runyard was doing, then their frames and the exception.

    Args:
        folder: where the user's files are.
    """
    user_traceback = users_traceback(error, folder=folder)
    return CallbackFailed(f"The script failed while Runyard was {doing}.", user_traceback=user_traceback)


def users_traceback(error: BaseException, *, folder: Path) -> str:
    """A traceback from the user's first frame on, with the frames of libraries left out but for the last."""
    report = traceback.TracebackException.from_exception(error)
    _show_users_frames(report, folder=folder)
    return "".join(report.format()).rstrip()


def _show_users_frames(report: traceback.TracebackException, *, folder: Path) -> None:
    """Cuts the stack of an exception, of those that led to it and of those within a group."""
    report.stack = _Stack(_worth_showing(report.stack, folder=folder))
    for other in (report.__cause__, report.__context__, *(report.exceptions or ())):
        if other is not None:
            _show_users_frames(other, folder=folder)


def _worth_showing(stack: traceback.StackSummary, *, folder: Path) -> Iterator[traceback.FrameSummary]:
    """The frames from the user's first on, runs of library frames shortened to their end.

    There are none when nothing of the user's ran: a syntax error names its place itself.
    """
    own = [is_users(frame.filename, folder=folder) for frame in stack]
    first = own.index(True) if True in own else len(own)
    for users, run in groupby(zip(own[first:], stack[first:], strict=True), key=lambda pair: pair[0]):
        frames = [frame for _, frame in run]
        left_out = 0 if users else len(frames) - _SHOWN_LIBRARY_FRAMES
        if left_out > 0:
            yield _gap(left_out)
        yield from frames[max(left_out, 0) :]


def _gap(count: int) -> traceback.FrameSummary:
    frames = "1 frame" if count == 1 else f"{count} frames"
    return traceback.FrameSummary("", 0, f"  ... {frames} inside libraries ...\n", lookup_line=False)


class _Stack(traceback.StackSummary):
    """A stack in which a frame without a file stands for those that were left out."""

    def format_frame_summary(self, frame_summary: traceback.FrameSummary, **options: bool) -> str:
        if not frame_summary.filename:
            return frame_summary.name
        return super().format_frame_summary(frame_summary, **options)
