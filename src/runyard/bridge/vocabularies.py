"""The words of Keras 2's lookup layers, which a SavedModel keeps in its tables alone."""

from typing import Any


def recall_vocabularies(model: Any) -> None:
    """Lets the lookup layers of a Keras 2 model that was read from a SavedModel know their words again.

    Keras 2 leaves the vocabulary out of the layer's settings there, and cannot build the layer from them any more.
    """
    for layer in model._flatten_layers():
        if getattr(layer, "input_vocabulary", None) is not None and not list(layer.input_vocabulary):
            layer.input_vocabulary = layer.get_vocabulary(include_special_tokens=False)
