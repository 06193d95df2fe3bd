"""Which Keras `tf.keras` is. Decided once, before TensorFlow is imported for the first time.

This is the only place that sets `TF_USE_LEGACY_KERAS`.
"""

import contextlib
import importlib
import os
import sys
from importlib import metadata
from typing import Any, Literal

from runyard.bridge.quiet import import_without_collecting, quiet_stderr
from runyard.errors import PlatformError

KerasVersion = Literal[2, 3]

_SWITCH = "TF_USE_LEGACY_KERAS"
KERAS_2_AS_TF_KERAS = ("tf_keras.api._v2.keras", "tf_keras.api._v1.keras")


def wanted_keras(asked: KerasVersion | None) -> KerasVersion:
    """What the job asks for, else what the environment says, else Keras 2, the Keras of the specification."""
    if asked is not None:
        return asked
    return 3 if os.environ.get(_SWITCH, "1").lower() in ("0", "false") else 2


def choose_keras(version: KerasVersion) -> None:
    """Says which Keras `tf.keras` will be, here and in child processes, once TensorFlow is imported."""
    os.environ[_SWITCH] = "1" if version == 2 else "0"


def start_tensorflow(asked: KerasVersion | None = None, *, verbose: bool = False) -> Any:
    """Imports TensorFlow with the Keras that is wanted and returns it.

    Args:
        verbose: show what TensorFlow itself logs. It heeds this only when it is imported for the first time.

    Raises:
        PlatformError: if TensorFlow was imported before with the other Keras, or Keras 3 runs on another backend.
    """
    wanted = wanted_keras(asked)
    _refuse_other_backend()
    if "tensorflow" not in sys.modules:
        choose_keras(wanted)
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "0" if verbose else "3")
    with contextlib.nullcontext() if verbose else quiet_stderr(), import_without_collecting():
        tensorflow = importlib.import_module("tensorflow")
        keras_2()
        keras_3()
    found = chosen_keras()
    if found != wanted:
        raise PlatformError(
            f"TensorFlow was imported with Keras {found} before Runyard could choose Keras {wanted}",
            hint=f"import TensorFlow after Runyard, or set {_SWITCH}={'1' if wanted == 2 else '0'} in the environment",
        )
    name_version_of_keras_2()
    # Layers' generators are variables then, which a checkpoint can hold. It must be on before the first layer is made.
    keras_2().backend.experimental.enable_tf_random_generator()
    return tensorflow


def name_version_of_keras_2() -> None:
    """`tf.keras.__version__`, which TensorFlow has with Keras 3 alone. To be called when it has been imported."""
    for api in KERAS_2_AS_TF_KERAS:
        module: Any = sys.modules.get(api)
        if module is not None:
            module.__version__ = metadata.version("tf_keras")


def _refuse_other_backend() -> None:
    imported = sys.modules.get("keras")
    if imported is not None:
        backend = imported.backend.backend()
    else:
        backend = os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    if backend != "tensorflow":
        raise PlatformError(
            f"Keras 3 runs on {backend!r}, Runyard needs TensorFlow",
            hint="set KERAS_BACKEND=tensorflow in the environment",
        )


def chosen_keras() -> KerasVersion:
    """Which Keras `tf.keras` is, now that TensorFlow has been started."""
    return 2 if importlib.import_module("tensorflow").keras.Model is keras_2().Model else 3


def keras_2() -> Any:
    return importlib.import_module("tf_keras")


def keras_3() -> Any:
    return importlib.import_module("keras")


def keras_module(version: KerasVersion) -> Any:
    """The package with `optimizers`, `losses` and `metrics` for models of that version."""
    return keras_2() if version == 2 else keras_3()
