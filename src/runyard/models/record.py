"""`model.json`: what a saved model is, beside the model itself."""

import json
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from runyard._version import __version__
from runyard.bridge import KerasVersion
from runyard.bridge.saving import keras_release
from runyard.checkpoint.json_numbers import without_nan
from runyard.models.signature import Signature

RECORD_FILE = "model.json"


def model_record(name: str, *, keras: KerasVersion, signature: Signature, given: Mapping[str, Any]) -> dict[str, Any]:
    """The content of the file.

    Args:
        given: what the run says, such as `job` and `metrics`.
    """
    return {
        "name": name,
        "keras": keras,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "signature": signature.description(),
        "versions": {
            "python": platform.python_version(),
            "tensorflow": tf.__version__,
            "keras": keras_release(keras),
            "runyard": __version__,
        },
        **{str(key): without_nan(_plain(value)) for key, value in given.items()},
    }


def read_model_record(directory: Path) -> dict[str, Any]:
    """The content of the file; empty for a model that others have saved."""
    try:
        record = json.loads((directory / RECORD_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _plain(value: Any) -> Any:
    """The value as JSON has it."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list | set | frozenset):
        return [_plain(inner) for inner in value]
    if tf.is_tensor(value) or isinstance(value, np.ndarray | np.generic):
        return _plain(np.asarray(value).tolist())
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
