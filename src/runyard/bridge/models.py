"""What a model is, whichever Keras made it."""

from typing import Any

from runyard.bridge.choice import KerasVersion, keras_2, keras_3


def keras_version_of(thing: object) -> KerasVersion | None:
    """2 or 3 for a Keras model, None for anything else."""
    if isinstance(thing, keras_2().Model):
        return 2
    if isinstance(thing, keras_3().Model):
        return 3
    return None


def output_names(model: Any, *, count: int) -> list[str]:
    """The names of a model's outputs: its own, where it has that many, else `output_1`, `output_2` as Keras says."""
    names = getattr(model, "output_names", None)
    if names and len(names) == count:
        return [str(name) for name in names]
    return [f"output_{index + 1}" for index in range(count)]


def takes_training(model: Any) -> bool:
    """Whether the model's `call` has a `training` argument."""
    expects = getattr(model, "_expects_training_arg", None)
    if expects is None:
        expects = getattr(model, "_call_has_training_arg", True)
    return bool(expects)


def call_model(model: Any, inputs: Any, *, training: bool) -> Any:
    """The model's outputs."""
    return model(inputs, training=training) if takes_training(model) else model(inputs)
