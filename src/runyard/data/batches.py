"""Reading batches: the first of them, and what goes wrong with any."""

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from runyard.data.reading_hints import hint_for
from runyard.errors import CallbackFailed, DataError


@dataclass(frozen=True)
class FirstBatch:
    """The first batch of a dataset.

    Args:
        element: its tensors.
        dataset: it alone, read already, with the `element_spec` of the whole.
    """

    element: Any
    dataset: Any


def first_batch(batches: Any, *, what: str) -> FirstBatch:
    """Reads the first batch, once. Nothing is left running after it.

    Raises:
        DataError: if there is none, or it cannot be read.
    """
    alone = batches.take(1).cache()
    try:
        found = list(alone)
    except tf.errors.OpError as error:
        raise DataError(f"the {what} cannot be read: {_first_line(error)}", hint=hint_for(error)) from error
    if not found:
        raise DataError(
            f"the {what} is empty",
            hint="look at file names, filters and whether a batch with drop_remainder swallows it all",
        )
    return FirstBatch(found[0], alone)


@contextlib.contextmanager
def explained(what: str) -> Iterator[None]:
    """Turns what TensorFlow raises while it reads or computes into an error that says what was being done.

    Raises:
        CallbackFailed: if Python of the user's raised inside a dataset, with their traceback.
        DataError: for everything else that a batch can cause.
    """
    try:
        yield
    except tf.errors.OpError as error:
        said = str(error).split("\n\t [[")[0]
        _, found, trace = said.partition("Traceback (most recent call last):\n")
        if found:
            users = found + _without_libraries(trace).rstrip()
            raise CallbackFailed(f"The script failed while Runyard was {what}.", user_traceback=users) from error
        message = _bare(said.strip().splitlines()[-1])
        raise DataError(f"{what} failed: {message}", hint=hint_for(error)) from error


def _without_libraries(trace: str) -> str:
    """A traceback as TensorFlow prints it, frames of libraries left out."""
    frames = trace.strip("\n").split("\n\n")
    return "\n".join(frame for frame in frames if not (frame.startswith("  File") and "site-packages" in frame))


def _bare(line: str) -> str:
    """What TensorFlow says, without the graph node and the operation that it names around it."""
    return re.sub(r"^(\{\{.*?\}\}\s*)+|\s*\[Op:\w+\].*$", "", line)


def _first_line(error: Exception) -> str:
    return _bare(str(error).strip().split("\n")[0])
