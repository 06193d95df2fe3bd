"""What Keras itself says about given predictions: a model whose outputs are its inputs."""

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module


def keras_says(
    predictions: Any, labels: Any, weights: Any = None, *, keras: KerasVersion = 2, **compiled: Any
) -> dict[str, float]:
    """`compile` and `test_on_batch`, by name."""
    model = _identity(predictions if isinstance(predictions, list) else [predictions], keras=keras)
    model.compile(run_eagerly=True, **{"loss": _nothing, **compiled})
    return model.test_on_batch(predictions, labels, sample_weight=weights, return_dict=True)


def _nothing(y_true: Any, y_pred: Any) -> Any:
    """Keras 3 evaluates no model without a loss."""
    return tf.zeros(y_true.shape[:1])


def _identity(predictions: Sequence[Any], *, keras: KerasVersion) -> Any:
    package = keras_module(keras)
    inputs = [package.Input(tensor.shape[1:], dtype=tensor.dtype) for tensor in predictions]
    names = ["output_1"] if len(inputs) == 1 else ["click", "buy", "stay"][: len(inputs)]
    outputs = [
        package.layers.Activation("linear", name=name)(tensor) for name, tensor in zip(names, inputs, strict=True)
    ]
    return package.Model(inputs if len(inputs) > 1 else inputs[0], outputs if len(outputs) > 1 else outputs[0])
