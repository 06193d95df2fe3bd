"""What TensorFlow 2.21 needs so that TF-Slim, `tf.layers` and old programs work on it."""

import importlib
import inspect
import logging
import sys
from typing import Any

_MOVED_LAYERS = ("base", "convolutional", "core", "normalization", "pooling")
_MOVED_NAMES = {
    "framework.ops": {"Tensor": "Tensor", "IndexedSlices": "IndexedSlices"},
    "ops.array_ops": {"stack": "stack", "unstack": "unstack"},
    "ops.control_flow_ops": {name: name for name in ("Assert", "case", "cond", "while_loop")},
    "ops.variable_scope": {"variable": "Variable"},
}


def mend_tensorflow() -> None:
    """Mends what is broken for TF-Slim. Harmless when done twice, and for programs that use none of it."""
    _find_moved_layers()
    _name_what_moved()


def _find_moved_layers() -> None:
    """TensorFlow looks for its old layers in `tf_keras.legacy_tf_layers`; they moved to `tf_keras.src`."""
    moved = "tf_keras.src.legacy_tf_layers"
    for name in ("", *(f".{part}" for part in _MOVED_LAYERS)):
        sys.modules.setdefault(f"tf_keras.legacy_tf_layers{name}", importlib.import_module(moved + name))


def _name_what_moved() -> None:
    """TF-Slim takes names from modules of TensorFlow that they have left; the public ones are the same."""
    public: Any = importlib.import_module("tensorflow.compat.v1")
    for module, names in _MOVED_NAMES.items():
        internal = importlib.import_module(f"tensorflow.python.{module}")
        for name, now in names.items():
            if not hasattr(internal, name):
                setattr(internal, name, getattr(public, now))


def mend_waiting() -> None:
    """Makes a worker that waits for its chief look every second, instead of every 30, whether that has begun.

    On one machine the chief may be done before the others look for the first time.
    """
    train: Any = importlib.import_module("tensorflow.compat.v1").train
    for manager in (train.SessionManager, train.Supervisor):
        made = inspect.unwrap(manager.__init__)
        made.__defaults__ = tuple(
            1 if parameter.name == "recovery_wait_secs" else parameter.default
            for parameter in inspect.signature(made).parameters.values()
            if parameter.default is not parameter.empty
        )


def mend_logging() -> None:
    """Makes a line of `tf.logging` one line. After `tf.app.run`, absl would write each of them again."""
    logger: Any = importlib.import_module("tensorflow").get_logger()
    if logger.handlers:
        handler: Any = importlib.import_module("absl.logging").get_absl_handler()
        handler.addFilter(_is_not_tensorflows)


def _is_not_tensorflows(record: logging.LogRecord) -> bool:
    return record.name != "tensorflow"


def mend_numpy() -> None:
    """Gives NumPy the names back that it has dropped and old programs use."""
    numpy: Any = importlib.import_module("numpy")
    gone = {"int": int, "float": float, "object": object, "str": str, "complex": complex, "long": int, "unicode": str}
    gone |= {"float_": numpy.float64, "Inf": numpy.inf, "NaN": numpy.nan, "product": numpy.prod}
    for name, value in gone.items():
        if name not in vars(numpy):
            setattr(numpy, name, value)
