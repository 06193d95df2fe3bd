"""A traceback that shows the program's lines, not how it was started."""

import itertools
import re
from pathlib import Path
from types import TracebackType

from runyard.legacy.ownership import is_library_file
from runyard.programs.program import Program
from runyard.script.failures import users_traceback

_OURS = Path(__file__).parents[1]
_FRAME = re.compile(r'\s*File "([^"]+)", line \d+, in ')


def program_traceback(error: BaseException, *, program: Program) -> str:
    """The program's frames and the exception, those that led to it included."""
    waiting: list[BaseException] = [error]
    seen: set[int] = set()
    while waiting:
        current = waiting.pop()
        seen.add(id(current))
        current.__traceback__ = without_our_frames(current.__traceback__)
        led_to = (current.__cause__, current.__context__)
        waiting += [other for other in led_to if other is not None and id(other) not in seen]
    folder = program.file.parent if program.module is None else _package_folder(program)
    return _from_users_line_on(users_traceback(error, folder=folder))


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
    file = found.group(1) if found else ""
    return not file.startswith("<") and not is_library_file(file)


def _package_folder(program: Program) -> Path:
    return program.root / (program.package or "") if "." in (program.module or "") else program.root


def without_our_frames(frames: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames that are Runyard's."""
    kept: list[TracebackType] = []
    while frames is not None:
        if not Path(frames.tb_frame.f_code.co_filename).is_relative_to(_OURS):
            kept.append(frames)
        frames = frames.tb_next
    for frame, following in zip(kept, [*kept[1:], None], strict=True):
        frame.tb_next = following
    return kept[0] if kept else None
