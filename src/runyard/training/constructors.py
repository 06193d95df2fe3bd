"""From names in a job file to objects of the right Keras."""

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from runyard.bridge import KerasVersion, keras_module
from runyard.config.known_names import KnownName
from runyard.errors import ModelError


def construct(known: KnownName, *, namespace: str, keras: KerasVersion, arguments: Mapping[str, Any]) -> Any:
    """An object of a Keras class.

    Raises:
        ModelError: if that Keras has no such class, or its constructor refuses the arguments.
    """
    found = getattr(getattr(keras_module(keras), namespace), known.class_name, None)
    if found is None:
        raise ModelError(
            f"Keras {keras} has no {known.class_name}, and the model is a Keras {keras} model",
            hint=f"only Keras {min(known.keras)} has it",
        )
    with constructing(known, arguments=arguments):
        return found(**arguments)


@contextlib.contextmanager
def constructing(known: KnownName, *, arguments: Mapping[str, Any]) -> Iterator[None]:
    """Turns a constructor's refusal into an error for people.

    Raises:
        ModelError: if the block refuses the arguments.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        raise ModelError(f"{known.class_name} refuses its arguments {dict(arguments)}: {error}") from error
