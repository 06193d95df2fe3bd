"""Keras 2 as `tf.keras` after TensorFlow was imported without having been told so."""

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

from runyard.bridge.choice import choose_keras, chosen_keras

_FOLDERS = {
    "tensorflow": ("tf_keras.api._v2.keras",),
    "tensorflow.compat.v1": ("tf_keras.api._v1.keras", "tf_keras.api._v1.keras.__internal__.legacy.layers"),
}


def choose_keras_2_late() -> bool:
    """Makes `tf.keras`, and `import tensorflow.keras`, Keras 2. TensorFlow decides when it is first used.

    Returns:
        Whether it worked: not if a program has used Keras 3 as `tf.keras` already.
    """
    choose_keras(2)
    if "tensorflow" not in sys.modules:
        return True
    for name, keras in _FOLDERS.items():
        module: Any = importlib.import_module(name)
        for package in keras:
            folder = _folder(package)
            if folder is not None and folder not in module.__path__:
                module.__path__ = [folder, *module.__path__]
    imported = sys.modules.get("tensorflow.keras")
    return chosen_keras() == 2 and (imported is None or "tf_keras" in str(getattr(imported, "__file__", "tf_keras")))


def _folder(package: str) -> str | None:
    spec = importlib.util.find_spec(package)
    return None if spec is None or spec.origin is None else str(Path(spec.origin).parents[1])
