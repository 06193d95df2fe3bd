"""The random state of a model, which Keras's own checkpoints leave out."""

from typing import Any

from runyard.bridge.choice import KerasVersion
from runyard.bridge.variables import tensorflow_variable


def random_states(model: Any, *, keras: KerasVersion) -> list[Any]:
    """The state variables of every generator in the model (Dropout and its like), in a fixed order."""
    layers = list(model._flatten_layers())
    own = _users_generators(layers)
    if keras == 3:
        found = [generator.state for layer in layers for generator in getattr(layer, "_seed_generators", [])]
        return [tensorflow_variable(state) for state in _unique([*found, *_global_generator(), *own])]
    generators = (getattr(getattr(layer, "_random_generator", None), "_generator", None) for layer in layers)
    return _unique([*(generator.state for generator in generators if generator is not None), *own])


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
