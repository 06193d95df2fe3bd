"""A traceback that shows the program's lines, not how it was started."""

from pathlib import Path
from types import TracebackType

from runyard.programs.program import Program
from runyard.script.failures import users_traceback

_OURS = Path(__file__).parents[1]


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
    return users_traceback(error, folder=program.file.parent if program.module is None else _package_folder(program))


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
