"""A dataset and a model that do not fit each other, explained: what came, what was expected."""

import contextlib
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from runyard.data.shapes import summary
from runyard.errors import CallbackFailed, DataError, RunyardError
from runyard.runner.traced_code import users_traceback
from runyard.script.failures import callback_failure
from runyard.script.ownership import is_users


@contextlib.contextmanager
def refuse_unfit(message: str, *, came: Any, folder: Path, expected: str | None = None) -> Iterator[None]:
    """Turns what Keras or TensorFlow raise into a `DataError` that shows what came; the user's own frames are kept.

    Args:
        folder: where the user's files are: if the failure passed through them, their traceback is shown.
    """
    try:
        yield
    except RunyardError:
        raise
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        if any(is_users(frame.filename, folder=folder) for frame in frames):
            raise callback_failure(error, doing=f"running one batch: {message}", folder=folder) from error
        traced = users_traceback(error, folder=folder)
        if traced is not None:
            doing = f"The script failed while Runyard was running one batch: {message}."
            raise CallbackFailed(doing, user_traceback=traced) from error
        lines = [message, f"  came:     {summary(came) or 'nothing'}"]
        lines += [f"  expected: {expected}"] if expected else []
        lines += [f"  Keras says: {_sentence(error)}"]
        raise DataError("\n".join(lines)) from error


def expected_inputs(model: Any) -> str | None:
    """The shapes that a model wants, where it knows them."""
    shape = getattr(model, "input_shape", None)
    return None if shape is None else f"{shape}"


def _sentence(error: Exception) -> str:
    """The first lines of a message that say something."""
    lines = [line.strip() for line in str(error).split("\n") if line.strip()]
    return " ".join(lines[:3]) if lines else type(error).__name__
