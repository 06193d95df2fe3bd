"""The weights of a model, as people look at them."""

from collections.abc import Iterator, Mapping
from typing import Any

from runyard.bridge.choice import keras_2, keras_3
from runyard.bridge.models import keras_version_of
from runyard.bridge.variables import tensorflow_variable, variable_name


def named_weights(model: Any) -> Mapping[str, Any]:
    """Every weight once, as a `tf.Variable`. Names are the variables' own; of equal ones, later ones get a number."""
    found: dict[str, Any] = {}
    for variable in model.weights:
        _add(found, variable_name(variable), tensorflow_variable(variable))
    return found


def embedding_tables(model: Any) -> Mapping[str, Any]:
    """The table of every `Embedding` layer, nested ones included, by the layer's name."""
    found: dict[str, Any] = {}
    for layer in _layers(model):
        if isinstance(layer, keras_2().layers.Embedding | keras_3().layers.Embedding) and layer.built:
            _add(found, str(layer.name), tensorflow_variable(layer.embeddings))
    return found


def drawable_config(model: Any) -> str | None:
    """The JSON from which TensorBoard draws a model's layers. It can do so for some models of Keras 2 only."""
    functional = getattr(model, "_is_graph_network", False) or type(model).__name__ == "Sequential"
    return model.to_json() if keras_version_of(model) == 2 and functional else None


def _layers(model: Any) -> Iterator[Any]:
    yield from {id(layer): layer for layer in model._flatten_layers()}.values()


def _add(found: dict[str, Any], name: str, value: Any) -> None:
    free, number = name, 0
    while free in found:
        number += 1
        free = f"{name}_{number}"
    found[free] = value
