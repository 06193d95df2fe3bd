"""What TensorFlow 2.21 needs so that TF-Slim, `tf.layers` and old programs work on it."""

import importlib
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


def mend_numpy() -> None:
    """Gives NumPy the names back that it has dropped and old programs use."""
    numpy: Any = importlib.import_module("numpy")
    gone = {"int": int, "float": float, "object": object, "str": str, "complex": complex, "long": int, "unicode": str}
    gone |= {"float_": numpy.float64, "Inf": numpy.inf, "NaN": numpy.nan, "product": numpy.prod}
    for name, value in gone.items():
        if name not in vars(numpy):
            setattr(numpy, name, value)
