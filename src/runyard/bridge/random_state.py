"""The random state of a model, which Keras's own checkpoints leave out."""

from typing import Any

from runyard.bridge.choice import KerasVersion
from runyard.bridge.variables import tensorflow_variable

_FAR_APART = 0x9E3779B9
"""What lies between the seeds of two workers: far more than a run draws."""


def random_states(model: Any, *, keras: KerasVersion) -> list[Any]:
    """The state variables of every generator in the model (Dropout and its like), in a fixed order."""
    layers = list(model._flatten_layers())
    own = _users_generators(layers)
    if keras == 3:
        found = [generator.state for layer in layers for generator in getattr(layer, "_seed_generators", [])]
        return [tensorflow_variable(state) for state in _unique([*found, *_global_generator(), *own])]
    generators = (getattr(getattr(layer, "_random_generator", None), "_generator", None) for layer in layers)
    return _unique([*(generator.state for generator in generators if generator is not None), *own])


def draw_differently(states: list[Any], *, index: int) -> None:
    """Makes the generators of worker `index` draw other numbers than those of the others; worker 0 keeps its own.

    Keras 3 keeps a seed and a counter, in this order; generators of TensorFlow end in a key.
    """
    for state in states:
        value = state.numpy()
        place = 0 if value.dtype == "uint32" else -1
        mixed = (int(value[place]) + index * _FAR_APART) % 2**32
        value[place] = mixed if value.dtype == "uint32" else mixed - 2**31
        if index:
            state.assign(value)


def _users_generators(layers: list[Any]) -> list[Any]:
    """The states of `tf.random.Generator`s that the user's layers hold."""
    import tensorflow as tf  # importing the bridge must not import TensorFlow

    held = (value for layer in layers for value in vars(layer).values())
    return [value.state for value in held if isinstance(value, tf.random.Generator)]


def _global_generator() -> list[Any]:
    """Keras 3's generator for layers and functions that name no seed, if anything has used it."""
    from keras.src.backend.common import global_state

    generator = global_state.get_global_attribute("global_seed_generator")
    return [] if generator is None else [generator.state]


def _unique(states: list[Any]) -> list[Any]:
    by_identity = {id(state): state for state in states}
    return list(by_identity.values())
