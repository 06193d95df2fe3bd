"""Layers that a `model_fn` cannot use, and what to do about them."""

from collections.abc import Iterator
from contextlib import contextmanager

from moxing.tensorflow.executor.failures import WrongValue
from runyard.bridge.keras_3_layers import called_by_keras_3

_OF_ANOTHER_GRAPH = ("must be from the same graph as", "Attempting to capture an EagerTensor")


@contextmanager
def foreign_layers_told() -> Iterator[None]:
    """Around a call of `model_fn`.

    Raises:
        WrongValue: if it uses layers or tensors that were made for another graph.
    """
    try:
        yield
    except (RuntimeError, TypeError, ValueError) as error:
        if not any(sign in str(error) for sign in _OF_ANOTHER_GRAPH):
            raise
        raise WrongValue(
            "model_fn uses a layer, a model or a tensor that was made outside of it: every run has a graph of its own",
            hint="make it within model_fn; a Keras model can be written down outside, with to_json(), and made within"
            " by tf.keras.models.model_from_json",
        ) from error


def refuse_keras_3() -> None:
    """Called when a variable is made.

    Raises:
        WrongValue: if a layer of Keras 3 makes it: clones and modes could not share it.
    """
    if called_by_keras_3():
        raise WrongValue(
            "model_fn uses a layer of Keras 3, which does not work in graphs of TensorFlow 1",
            hint="use tf.keras, which is Keras 2 once moxing.tensorflow is imported, instead of `import keras`",
        )
