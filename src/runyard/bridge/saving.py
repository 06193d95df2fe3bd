"""How each Keras writes and reads a model."""

import contextlib
import copy
import logging
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from runyard.bridge.choice import KerasVersion, keras_module
from runyard.bridge.random_state import random_states
from runyard.bridge.variables import tensorflow_variable

KERAS_FILE = "model.keras"
"""What a Keras 3 model is rebuilt from; its SavedModel holds the graph only."""

_TALKATIVE = ("tensorflow", "absl")


@contextlib.contextmanager
def quiet_keras() -> Iterator[None]:
    """Keeps back what TensorFlow and Keras say while they save and load: advice that is not for the user."""
    loggers = [logging.getLogger(name) for name in _TALKATIVE]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def known_input_spec(model: Any, *, keras: KerasVersion) -> Any:
    """The inputs that a model has been built for, as `tf.TensorSpec`s with their names; None if it does not say.

    Keras 2 remembers the first call; Keras 3 knows the inputs of functional and sequential models only.
    """
    import tensorflow as tf  # importing the bridge must not import TensorFlow

    if keras == 2:
        spec = model.save_spec()
        return None if spec is None else _before_casting(spec[0][0], model)
    functional = getattr(model, "_functional", model)
    inputs = getattr(functional, "_inputs_struct", None)
    if inputs is None:
        return None

    def spec_of(tensor: Any) -> Any:
        layer: Any = tensor._keras_history.operation
        # A sequential model takes the rows of its first batch for the shape of its inputs.
        return tf.TensorSpec((None, *tensor.shape[1:]), dtype=tensor.dtype, name=layer.name)

    return _before_casting(tf.nest.map_structure(spec_of, inputs), model)


def _before_casting(spec: Any, model: Any) -> Any:
    """With mixed precision, Keras notes the halves that it has cast the inputs to; callers give whole floats."""
    import tensorflow as tf

    computed, stored = tf.as_dtype(model.compute_dtype), tf.as_dtype(model.variable_dtype)

    def whole(leaf: Any) -> Any:
        if computed == stored or leaf.dtype != computed or not isinstance(leaf, tf.TensorSpec):
            return leaf
        return tf.TensorSpec(leaf.shape, stored, name=leaf.name)

    return tf.nest.map_structure(whole, spec)


def guessed_input_spec(model: Any, *, keras: KerasVersion) -> Any:
    """For a subclassed Keras 3 model: the shapes of its first call, and the type that its layers compute with."""
    import tensorflow as tf

    shapes = list((getattr(model, "_build_shapes_dict", None) or {}).values())
    if keras == 2 or len(shapes) != 1 or shapes[0] is None:
        return None

    def spec_of(shape: Any) -> Any:
        if isinstance(shape, Mapping):
            return {key: spec_of(inner) for key, inner in shape.items()}
        if all(size is None or isinstance(size, int) for size in shape):
            return tf.TensorSpec((None, *shape[1:]), dtype=model.input_dtype)
        return tuple(spec_of(inner) for inner in shape)

    return _before_casting(spec_of(shapes[0]), model)


@contextlib.contextmanager
def observed_inputs(model: Any) -> Iterator[list[Any]]:
    """Lists the inputs of every call of a Keras 3 model within the block."""
    seen: list[Any] = []
    call = model.call

    def observe(*args: Any, **kwargs: Any) -> Any:
        seen.append(args[0] if args else next(iter(kwargs.values())))
        return call(*args, **kwargs)

    # Past Keras's own attribute tracking, which would make the function a part of the model.
    object.__setattr__(model, "call", observe)
    try:
        yield seen
    finally:
        object.__delattr__(model, "call")


def write_saved_model(
    model: Any, directory: Path, *, keras: KerasVersion, signatures: Mapping[str, Any], options: Any, serve: Any
) -> None:
    """Writes a SavedModel, and for Keras 3 the file to rebuild the model from, if the model can be rebuilt.

    Args:
        serve: the inference function over the model's own structure of inputs. A Keras 3 SavedModel offers it as
            `serve`, the name that Keras 3's own exports use.
    """
    options = _written_here(options)
    if keras == 2:
        model.save(
            str(directory), save_format="tf", include_optimizer=False, signatures=dict(signatures), options=options
        )
        return
    import tensorflow as tf

    exported: Any = tf.Module()
    exported.resources = _resources(model)
    exported.serve = serve
    tf.saved_model.save(exported, str(directory), signatures=dict(signatures), options=options)
    _write_keras_file(model, directory / KERAS_FILE)


def _written_here(options: Any) -> Any:
    """Variables may be in other processes, perhaps on other machines, which would write them to disks of their own."""
    import tensorflow as tf

    options = tf.saved_model.SaveOptions() if options is None else copy.copy(options)
    if options.experimental_io_device is None:
        options.experimental_io_device = tf.constant(0).device
    return options


def _resources(model: Any) -> list[Any]:
    """The variables and tables of a Keras 3 model. The model itself would bring all traces of a `@tf.function` call."""
    import tensorflow as tf

    variables = [tensorflow_variable(variable) for variable in model.variables]
    below = [thing for layer in model._flatten_layers() for thing in tf.train.TrackableView(layer).descendants()]
    kinds = tf.Variable | tf.saved_model.experimental.TrackableResource | tf.saved_model.Asset
    found = [*variables, *random_states(model, keras=3), *(thing for thing in below if isinstance(thing, kinds))]
    return list({id(thing): thing for thing in found}.values())


def _write_keras_file(model: Any, path: Path) -> None:
    """A model whose constructor Keras cannot write down is left to its SavedModel alone."""
    try:
        model.save(str(path))
    except OSError:
        raise
    except Exception:
        path.unlink(missing_ok=True)


def write_keras_model(model: Any, path: Path) -> None:
    """Writes a `.keras` file. Keras raises whatever it likes for a model that it cannot write down."""
    model.save(str(path))


def read_keras_model(path: Path, *, keras: KerasVersion, classes: Mapping[str, Any] | None = None) -> Any:
    """The model without its optimizer.

    Args:
        classes: layers and functions by the names that the file has for them.
    """
    return keras_module(keras).models.load_model(str(path), custom_objects=dict(classes or {}), compile=False)


def keras_release(keras: KerasVersion) -> str:
    """The installed release: `2.21.0`."""
    return str(keras_module(keras).__version__)
