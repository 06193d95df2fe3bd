"""A dataset and a model that do not fit each other, explained: what came, what was expected."""

import contextlib
import re
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tensorflow as tf

from runyard.bridge import keras_version_of
from runyard.bridge.saving import known_input_spec
from runyard.data.inputs import InputChoice
from runyard.data.shapes import summary
from runyard.errors import CallbackFailed, DataError, RunyardError
from runyard.runner.traced_code import users_traceback
from runyard.script.failures import callback_failure
from runyard.script.ownership import is_users

_CODES = re.compile(r"\x1b\[[0-9;]*m")


@contextlib.contextmanager
def refuse_unfit(
    message: str, *, came: Any, folder: Path, expected: str | None = None, choice: InputChoice | None = None
) -> Iterator[None]:
    """Turns what Keras or TensorFlow raise into a `DataError` that shows what came; the user's own frames are kept.

    Args:
        folder: where the user's files are: if the failure passed through them, their traceback is shown.
        choice: how what came was chosen among the inputs of the dataset.
    """
    try:
        yield
    except RunyardError:
        raise
    except Exception as error:
        places = list(getattr(error, "__notes__", ()))
        doing = ", ".join([f"running one batch: {message}", *places])
        frames = traceback.extract_tb(error.__traceback__)
        if any(is_users(frame.filename, folder=folder) for frame in frames):
            raise callback_failure(error, doing=doing, folder=folder) from error
        traced = users_traceback(error, folder=folder)
        if traced is not None:
            raise CallbackFailed(f"The script failed while Runyard was {doing}.", user_traceback=traced) from error
        lines = [message, f"  came:     {summary(came) or 'nothing'}"]
        lines += [f"  expected: {expected}"] if expected else []
        lines += [f"  where:    {place}" for place in places]
        lines += [f"  Keras says: {_sentence(error)}"]
        raise DataError("\n".join(lines), hint=_hint(came, choice=choice)) from error


def expected_inputs(model: Any) -> str | None:
    """The shapes that a model wants, where it knows them."""
    shape = getattr(model, "input_shape", None)
    return None if shape is None else f"{shape}"


def refuse_batches_of_batches(model: Any, *, inputs: Any, callback: str) -> None:
    """A callback that makes batches without taking `batch_size`: Keras 2 would train on them as on rows.

    Args:
        inputs: specs of what would go into the model, batched by us.

    Raises:
        DataError: if the model says that it wants one dimension less.
    """
    keras = keras_version_of(model)
    expected = known_input_spec(model, keras=keras) if keras is not None else None
    pairs = list(zip(tf.nest.flatten(inputs), tf.nest.flatten(expected), strict=False)) if expected is not None else []
    if any(_has_one_more(came.shape, wanted.shape) for came, wanted in pairs):
        raise DataError(
            f"{callback} returns batches, and Runyard has made batches of them\n"
            f"  came:     {summary(inputs)}\n  expected: {summary(expected)}",
            hint=f"let {callback} take `batch_size` and use it, or leave out its .batch(...)",
        )


def _has_one_more(came: Any, wanted: Any) -> bool:
    """Whether there is one dimension more than wanted. Keras itself takes away a last one of size 1."""
    if came.rank is None or wanted.rank is None:
        return False
    return came.rank == wanted.rank + 1 and came[-1] != 1


def _hint(came: Any, *, choice: InputChoice | None) -> str | None:
    """What is often the reason, where it can be seen."""
    if any(getattr(tensor, "shape", tf.TensorShape([])).rank is None for tensor in tf.nest.flatten(came)):
        return "set the shape in the map function of the dataset: tensor.set_shape(...) or tf.ensure_shape(...)"
    if choice and choice.exclude and isinstance(came, dict | tuple | list) and len(came) == 1:
        kind = "dict" if isinstance(came, dict) else "tuple"
        return f'one input is left in a {kind}: "input_squeeze": true gives the model the tensor alone'
    return None


def _sentence(error: Exception) -> str:
    """The first lines of a message that say something, without the codes that make parts of it bold."""
    lines = [line.strip() for line in _CODES.sub("", str(error)).split("\n") if line.strip()]
    return " ".join(lines[:3]) if lines else type(error).__name__
