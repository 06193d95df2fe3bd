"""Descriptions of what is in a record."""

from collections.abc import Mapping
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]


def portable(features: Mapping[str, Any]) -> dict[str, Any]:
    """The same, to be used in any graph: default values that are constant tensors become arrays."""
    return {key: _portable(feature) for key, feature in features.items()}


def _portable(feature: Any) -> Any:
    default = getattr(feature, "default_value", None)
    value = tf.get_static_value(default) if tf.is_tensor(default) else None
    return feature if value is None else feature._replace(default_value=value)
