"""Variables of either Keras."""

from typing import Any


def variable_key(variable: Any) -> Any:
    """What identifies a variable in a dict; Keras 2's own variables cannot be keys."""
    return variable.ref() if hasattr(variable, "ref") else id(variable)


def variable_name(variable: Any) -> str:
    """A name for people: `dense/kernel`."""
    return str(getattr(variable, "path", None) or variable.name).removesuffix(":0")


def tensorflow_variable(variable: Any) -> Any:
    """The `tf.Variable` inside."""
    return getattr(variable, "_value", variable) if hasattr(variable, "path") else variable
