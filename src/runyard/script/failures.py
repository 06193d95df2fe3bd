"""The user's own traceback, from their file on."""

import traceback
from itertools import groupby
from pathlib import Path
from types import TracebackType

from runyard.errors import CallbackFailed

_SHOWN_LIBRARY_FRAMES = 1


def callback_failure(error: BaseException, *, doing: str, folder: Path) -> CallbackFailed:
    """What the user sees when their code raises: what Runyard was doing, then their frames and the exception.

    Args:
        folder: where the user's files are.
    """
    lines = ["Traceback (most recent call last):\n", *_frames(error.__traceback__, folder=folder)]
    lines += traceback.format_exception_only(error)
    cause = error.__cause__
    if cause is not None and cause is not error:
        lines += ["  caused by: ", *traceback.format_exception_only(cause)]
    return CallbackFailed(f"The script failed while Runyard was {doing}.", user_traceback="".join(lines).rstrip())


def _frames(trace: TracebackType | None, *, folder: Path) -> list[str]:
    frames = list(traceback.extract_tb(trace))
    first = next((index for index, frame in enumerate(frames) if _is_users(frame, folder)), None)
    if first is None:
        # A syntax error in the script itself has no frame in it; the exception names the place.
        return []
    lines: list[str] = []
    for users, run in groupby(frames[first:], key=lambda frame: _is_users(frame, folder)):
        shown = list(run)
        if not users and len(shown) > _SHOWN_LIBRARY_FRAMES:
            lines.append(f"  ... {len(shown) - _SHOWN_LIBRARY_FRAMES} frames inside libraries ...\n")
            shown = shown[-_SHOWN_LIBRARY_FRAMES:]
        lines += traceback.format_list(shown)
    return lines


def _is_users(frame: traceback.FrameSummary, folder: Path) -> bool:
    path = Path(frame.filename)
    return path.is_relative_to(folder) and "site-packages" not in path.parts
