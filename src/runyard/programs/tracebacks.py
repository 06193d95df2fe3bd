"""A traceback that shows the program's lines, not how it was started."""

import itertools
import re
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from runyard.errors import RunyardError
from runyard.legacy.ownership import is_library_file
from runyard.programs.program import Program
from runyard.script.failures import users_traceback

_OURS = Path(__file__).parents[1]
_MOXING = _OURS.with_name("moxing")
_FRAME = re.compile(r'\s*File "([^"]+)", line \d+, in ')


def program_traceback(error: BaseException, *, program: Program) -> str:
    """The program's frames and the exception, those that led to it included.

    What Runyard itself refuses is said in one message, below the lines of the program that asked for it.
    """
    waiting: list[BaseException] = [error]
    seen: set[int] = set()
    while waiting:
        current = waiting.pop()
        seen.add(id(current))
        if isinstance(current, RunyardError):
            _keep_the_programs_part(current)
        current.__traceback__ = without_our_frames(current.__traceback__)
        led_to = (current.__cause__, current.__context__)
        waiting += [other for other in led_to if other is not None and id(other) not in seen]
    folder = program.file.parent if program.module is None else _package_folder(program)
    text = _from_users_line_on(users_traceback(error, folder=folder))
    if isinstance(error, RunyardError):
        named = "".join(traceback.format_exception_only(error)).rstrip()
        return f"{text.removesuffix(named)}error: {error}"
    return text


def _keep_the_programs_part(error: RunyardError) -> None:
    """How Runyard found it out is nothing to the program, unless the program's own code had a part in it."""
    error.__traceback__ = _only(error.__traceback__, _is_programs)
    if error.__cause__ is not None and not _went_through_program(error.__cause__):
        error.__cause__ = None
    if error.__context__ is not None and not _went_through_program(error.__context__):
        error.__context__ = None


def _went_through_program(error: BaseException) -> bool:
    return any(_is_programs(frame.f_code.co_filename) for frame, _ in traceback.walk_tb(error.__traceback__))


def _from_users_line_on(text: str) -> str:
    """Shortens the lists of frames in TensorFlow's messages, which tell where an operation was made.

    They begin where the process does; the program begins at its own first file.
    """
    kept: list[str] = []
    for is_frame, lines in itertools.groupby(text.splitlines(), key=lambda line: _FRAME.match(line) is not None):
        block = list(lines)
        users = [index for index, line in enumerate(block) if is_frame and _is_users(line)]
        kept += block[users[0] :] if users else block
    return "\n".join(kept)


def _is_users(line: str) -> bool:
    found = _FRAME.match(line)
    return found is not None and _is_programs(found.group(1))


def _is_programs(file: str) -> bool:
    return not file.startswith("<") and not is_library_file(file)


def _package_folder(program: Program) -> Path:
    return program.root / (program.package or "") if "." in (program.module or "") else program.root


def without_our_frames(frames: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames that are Runyard's, or MoXing's on the way to where it was raised."""
    raised_in = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(frames)][-1:]
    return _only(
        frames,
        lambda file: (
            not Path(file).is_relative_to(_OURS) and (not Path(file).is_relative_to(_MOXING) or file in raised_in)
        ),
    )


def _only(frames: TracebackType | None, wanted: Callable[[str], bool]) -> TracebackType | None:
    """The frames of such files, each with its own line."""
    kept: list[TracebackType] = []
    while frames is not None:
        if wanted(frames.tb_frame.f_code.co_filename):
            kept.append(frames)
        frames = frames.tb_next
    if not kept:
        return None
    for frame, following in zip(kept, [*kept[1:], None], strict=True):
        frame.tb_next = following
    return kept[0]
