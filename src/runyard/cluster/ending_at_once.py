"""Ctrl-C and SIGTERM where everything is saved already: what runs need not be finished."""

import contextlib
import signal
import threading
from collections.abc import Generator
from types import FrameType

from runyard.errors import Interrupted, Terminated


@contextlib.contextmanager
def ending_at_once(kept: str) -> Generator[None]:
    """Signals end what runs within, and the error says what is kept.

    Both are a `KeyboardInterrupt` on their way, which no `except Exception` of a script takes for its own.

    Raises:
        Interrupted, Terminated: after a signal.
    """
    terminated = False

    def end(number: int, frame: FrameType | None) -> None:
        nonlocal terminated
        terminated = True
        raise KeyboardInterrupt

    heard = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, end) if heard else None
    try:
        yield
    except KeyboardInterrupt:
        raise (Terminated(f"terminated: {kept}") if terminated else Interrupted(f"interrupted: {kept}")) from None
    finally:
        if heard:
            signal.signal(signal.SIGTERM, before)
