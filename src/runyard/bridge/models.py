"""What a model is, whichever Keras made it."""

import contextlib
import inspect
from collections.abc import Iterator
from typing import Any

from runyard.bridge.autograph import autograph_on
from runyard.bridge.choice import KerasVersion, keras_2, keras_3
from runyard.bridge.distinct import distinct_names


def keras_version_of(thing: object) -> KerasVersion | None:
    """2 or 3 for a Keras model, None for anything else."""
    if isinstance(thing, keras_2().Model):
        return 2
    if isinstance(thing, keras_3().Model):
        return 3
    return None


def output_names(model: Any, *, count: int) -> list[str]:
    """The names of a model's outputs: its own, where it has that many, else `output_1`, `output_2` as Keras says."""
    names = getattr(model, "output_names", None)
    if names and len(names) == count:
        # Outputs of one layer called twice: `score`, `score_1`. Keras 3 leaves both `score`, Keras 2 does this itself.
        return distinct_names(map(str, names))
    return [f"output_{index + 1}" for index in range(count)]


def call_model(model: Any, inputs: Any, *, training: bool) -> Any:
    """The model's outputs, as `fit` and `evaluate` get them.

    Keras 2 tells the layers inside what `training` is, even where the model's own `call` has no such argument. Keras 3
    accepts it only where `call` has it.
    """
    accepted = keras_version_of(model) == 2 or takes_training(model)
    with autograph_on(), _traced_anew(model):
        return model(inputs, training=training) if accepted else model(inputs)


def takes_training(model: Any) -> bool:
    """Whether the model's `call` has a `training` argument, or the function itself where it is no model of Keras."""
    expects = getattr(model, "_expects_training_arg", None)
    if expects is None:
        expects = getattr(model, "_call_has_training_arg", None)
    return _declares_training(model) if expects is None else bool(expects)


def _declares_training(function: Any) -> bool:
    try:
        return "training" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


@contextlib.contextmanager
def _traced_anew(model: Any) -> Iterator[None]:
    """A `call` that is a `tf.function` is traced again in this block, and its own traces stay as they are.

    Of those, the first one of a Keras 3 model that is not built yet would hold the initial weights as constants; and
    without a `training` argument, one trace would serve training and validation alike.
    """
    import tensorflow as tf  # importing the bridge must not import TensorFlow

    python = getattr(getattr(model, "call", None), "python_function", None)
    if python is None:
        yield
        return
    own = vars(model).get("call")
    # Past Keras's own attribute tracking, which would make the function a part of the model.
    object.__setattr__(model, "call", tf.function(python))
    try:
        yield
    finally:
        object.__delattr__(model, "call")
        if own is not None:
            object.__setattr__(model, "call", own)
