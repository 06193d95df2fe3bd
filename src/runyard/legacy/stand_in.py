"""The `tensorflow` that a TensorFlow 1 program imports. TensorFlow itself, and every library, keeps the real one."""

import importlib
import types
from functools import cached_property
from typing import Any

from runyard.legacy.contrib_modules import contrib_module
from runyard.legacy.overlay import Overlay

_ESTIMATOR = (
    "tf.estimator is out of scope: TensorFlow 2.21 has no estimators any more; "
    "write the loop with tf.Session or tf.train.MonitoredTrainingSession, or use tf.keras"
)
_MNIST = "examples.tutorials.mnist"
_KERAS = "tf_keras.api._v1.keras"
_RENAMED = {"python.util.compact": "tensorflow.python.util.compat"}
"""Modules under names that programs import them by. `compact` is a misprint that went around."""


class StandIn:
    """Modules by the names that the program imports them by; `""` is `tensorflow` itself.

    Args:
        tensorflow: the real one.
    """

    def __init__(self, tensorflow: Any) -> None:
        self._real = tensorflow
        self._modules: dict[str, types.ModuleType] = {}

    def module(self, path: str) -> types.ModuleType:
        """The module `tensorflow.<path>`.

        Raises:
            ImportError: if there is none; the message says what to use instead.
        """
        if path not in self._modules:
            self._modules[path] = self._found(path)
        return self._modules[path]

    @cached_property
    def root(self) -> Overlay:
        root = Overlay("tensorflow", find=self._name, listing=lambda: dir(self._real.compat.v1))
        root.__file__ = self._real.__file__
        root.__version__ = self._real.__version__  # pyright: ignore[reportAttributeAccessIssue]
        return root

    def _found(self, path: str) -> types.ModuleType:
        root, _, rest = path.partition(".")
        if not path:
            return self.root
        if root == "contrib":
            return contrib_module(rest)
        if root == "estimator":
            raise ImportError(_ESTIMATOR)
        if root == "examples":
            return self._example(path)
        if root == "keras":
            return _keras(rest)
        if path == "python.keras" or path.startswith("python.keras."):
            return _keras(path.removeprefix("python.keras").removeprefix("."))
        if path in _RENAMED:
            return importlib.import_module(_RENAMED[path])
        if path in ("python", "python.util"):
            return self._over_real(path)
        if path in ("flags", "app.flags"):
            return importlib.import_module("runyard.legacy.flags")
        if path == "app":
            return self._app()
        return self._other(path)

    def _name(self, name: str) -> Any:
        """A name in `tf`: what TensorFlow 1 had, or else what TensorFlow 2 has."""
        if name in ("contrib", "examples", "python", "flags", "app", "keras"):
            return self.module(name)
        if name == "estimator":
            raise AttributeError(_ESTIMATOR)
        try:
            return getattr(self._real.compat.v1, name)
        except AttributeError:
            if name.startswith("__") or not hasattr(self._real, name):
                raise AttributeError(f"module 'tensorflow' has no attribute {name!r}", name=name) from None
            return getattr(self._real, name)

    def _over_real(self, path: str) -> Overlay:
        real = importlib.import_module(f"tensorflow.{path}")

        def find(name: str) -> Any:
            below = f"{path}.{name}"
            if below in _RENAMED or below in ("python.util", "python.keras"):
                return self.module(below)
            return getattr(real, name)

        return Overlay(f"tensorflow.{path}", find=find, listing=lambda: dir(real))

    def _app(self) -> Overlay:
        real = self._real.compat.v1.app
        return Overlay(
            "tensorflow.app",
            find=lambda name: self.module("flags") if name == "flags" else getattr(real, name),
            listing=lambda: dir(real),
        )

    def _example(self, path: str) -> types.ModuleType:
        if path == f"{_MNIST}.input_data":
            return importlib.import_module("runyard.legacy.mnist")
        if _MNIST.startswith(path):
            return Overlay(f"tensorflow.{path}", find=lambda name: self._as_attribute(f"{path}.{name}"))
        raise ImportError(
            f"tensorflow.{path} is not part of TensorFlow 2.21; of the examples, only {_MNIST}.input_data is"
        )

    def _as_attribute(self, path: str) -> types.ModuleType:
        try:
            return self.module(path)
        except ImportError as error:
            raise AttributeError(str(error)) from None

    def _other(self, path: str) -> types.ModuleType:
        """`tensorflow.nn` is TensorFlow 1's; `tensorflow.python.ops.array_ops` and its like are the real ones."""
        found: Any = self.root
        for part in path.split("."):
            found = getattr(found, part, None)
            if found is None:
                return importlib.import_module(f"tensorflow.{path}")
        if not isinstance(found, types.ModuleType):
            raise ImportError(f"No module named 'tensorflow.{path}'", name=f"tensorflow.{path}")
        return found


def _keras(path: str) -> types.ModuleType:
    """`tensorflow.python.keras.<path>` in Keras 2: its public modules, or else the ones behind them."""
    below = f".{path}" if path else ""
    for package in (_KERAS, "tf_keras", "tf_keras.src"):
        try:
            return importlib.import_module(package + below)
        except ModuleNotFoundError:
            continue
    raise ImportError(f"tensorflow.python.keras{below} has no counterpart in Keras 2.21 (tf_keras)")
