"""The random state of a model, which Keras's own checkpoints leave out."""

from typing import Any

from runyard.bridge.choice import KerasVersion
from runyard.bridge.variables import tensorflow_variable


def random_states(model: Any, *, keras: KerasVersion) -> list[Any]:
    """The state variables of every generator in the model (Dropout and its like), in a fixed order."""
    layers = model._flatten_layers()
    if keras == 3:
        found = [generator.state for layer in layers for generator in getattr(layer, "_seed_generators", [])]
        return [tensorflow_variable(state) for state in _unique([*found, *_global_generator()])]
    generators = (getattr(getattr(layer, "_random_generator", None), "_generator", None) for layer in layers)
    return _unique([generator.state for generator in generators if generator is not None])


def _global_generator() -> list[Any]:
    """Keras 3's generator for layers and functions that name no seed, if anything has used it."""
    from keras.src.backend.common import global_state

    generator = global_state.get_global_attribute("global_seed_generator")
    return [] if generator is None else [generator.state]


def _unique(states: list[Any]) -> list[Any]:
    by_identity = {id(state): state for state in states}
    return list(by_identity.values())
