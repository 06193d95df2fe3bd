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
    expected = _wanted(model)
    if any(_has_one_more(came, wanted) for came, wanted in _shapes(inputs, expected)):
        raise DataError(
            f"{callback} returns batches, and Runyard has made batches of them\n"
            f"  came:     {summary(inputs)}\n  expected: {summary(expected)}",
            hint=f"let {callback} take `batch_size` and use it, or leave out its .batch(...)",
        )


def refuse_single_rows(model: Any, *, inputs: Any, callback: str) -> None:
    """A callback that takes `batch_size`, so that Runyard makes no batches, and makes none either.

    Args:
        inputs: specs of what would go into the model, as the callback made them.

    Raises:
        DataError: if each input is just one row of what the model says it wants.
    """
    expected = _wanted(model)
    shapes = _shapes(inputs, expected)
    if shapes and all(_is_one_row(came, of=wanted) for came, wanted in shapes):
        raise DataError(
            f"{callback} takes `batch_size` but returns single rows\n"
            f"  came:     {summary(inputs)}\n  expected: {summary(expected)}",
            hint="add .batch(batch_size) at its end; or let it not take `batch_size`, and Runyard makes the batches",
        )


def _wanted(model: Any) -> Any:
    """Specs of the inputs of a model that knows them."""
    keras = keras_version_of(model)
    return known_input_spec(model, keras=keras) if keras is not None else None


def _shapes(inputs: Any, expected: Any) -> list[tuple[Any, Any]]:
    """What came and what is wanted, input by input."""
    if expected is None:
        return []
    pairs = zip(tf.nest.flatten(inputs), tf.nest.flatten(expected), strict=False)
    return [(came.shape, wanted.shape) for came, wanted in pairs]


def _has_one_more(came: Any, wanted: Any) -> bool:
    """Whether there is one dimension more than wanted. Keras itself takes away a last one of size 1."""
    if came.rank is None or wanted.rank is None:
        return False
    return came.rank == wanted.rank + 1 and came[-1] != 1


def _is_one_row(came: Any, *, of: Any) -> bool:
    """A batch has a dimension of unknown size, or one more; one of size 1 at the end is Keras's to add."""
    return bool(of.rank) and of[-1] != 1 and came.is_fully_defined() and came.is_compatible_with(of[1:])


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
