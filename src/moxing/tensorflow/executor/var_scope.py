"""`mox.var_scope`: variables are stored in one precision and used in another."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]


@contextmanager
def var_scope(force_dtype: Any = None) -> Iterator[Any]:
    """Within it, `tf.get_variable` stores floating-point variables as `force_dtype`, whatever type is asked for.

    What it returns is of the type that was asked for: a tensor then, not a variable.
    """
    forced = None if force_dtype is None else tf.as_dtype(force_dtype)

    def get(getter: Callable[..., Any], name: str, *arguments: Any, **named: Any) -> Any:
        asked = _asked_dtype(named)
        if forced is None or not asked.is_floating or asked == forced:
            return getter(name, *arguments, **named)
        initializer = named.get("initializer")
        if isinstance(initializer, tf.Tensor):
            named["initializer"] = tf.cast(initializer, forced)
        stored = getter(name, *arguments, **{**named, "dtype": forced})
        return tf.cast(stored, asked)

    with tf.variable_scope(tf.get_variable_scope(), custom_getter=get) as scope:
        yield scope


def _asked_dtype(named: dict[str, Any]) -> Any:
    initializer = named.get("initializer")
    if initializer is not None and isinstance(initializer, tf.Tensor):
        return initializer.dtype
    return tf.as_dtype(named.get("dtype") or tf.float32).base_dtype
