"""Which Keras `tf.keras` is. Decided once, before TensorFlow is imported for the first time.

This is the only place that sets `TF_USE_LEGACY_KERAS`.
"""

import importlib
import os
import sys
from typing import Any, Literal

from runyard.bridge.quiet import quiet_stderr
from runyard.errors import PlatformError

KerasVersion = Literal[2, 3]

_SWITCH = "TF_USE_LEGACY_KERAS"


def wanted_keras(asked: KerasVersion | None) -> KerasVersion:
    """What the job asks for, else what the environment says, else Keras 2, the Keras of the specification."""
    if asked is not None:
        return asked
    return 3 if os.environ.get(_SWITCH, "1").lower() in ("0", "false") else 2


def start_tensorflow(asked: KerasVersion | None = None) -> Any:
    """Imports TensorFlow with the Keras that is wanted and returns it.

    Raises:
        PlatformError: if TensorFlow was imported before with the other Keras, or Keras 3 runs on another backend.
    """
    wanted = wanted_keras(asked)
    _refuse_other_backend()
    if "tensorflow" not in sys.modules:
        os.environ[_SWITCH] = "1" if wanted == 2 else "0"
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    with quiet_stderr():
        tensorflow = importlib.import_module("tensorflow")
    found = 2 if tensorflow.keras.Model is keras_2().Model else 3
    if found != wanted:
        raise PlatformError(
            f"TensorFlow was imported with Keras {found} before Runyard could choose Keras {wanted}",
            hint=f"import TensorFlow after Runyard, or set {_SWITCH}={'1' if wanted == 2 else '0'} in the environment",
        )
    keras_3()
    # Layers' generators are variables then, which a checkpoint can hold. It must be on before the first layer is made.
    keras_2().backend.experimental.enable_tf_random_generator()
    return tensorflow


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


def keras_2() -> Any:
    return importlib.import_module("tf_keras")


def keras_3() -> Any:
    return importlib.import_module("keras")


def keras_module(version: KerasVersion) -> Any:
    """The package with `optimizers`, `losses` and `metrics` for models of that version."""
    return keras_2() if version == 2 else keras_3()
