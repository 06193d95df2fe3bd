"""Which of the script's callbacks is running: some things are too late there."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_running: ContextVar[str | None] = ContextVar("running callback", default=None)


@contextmanager
def inside_callback(name: str) -> Iterator[None]:
    """Around every call of `input_fn`, `model_fn` and `optimizer_fn`."""
    token = _running.set(name)
    try:
        yield
    finally:
        _running.reset(token)


def running_callback() -> str | None:
    """The name of the callback that is running, if any."""
    return _running.get()
