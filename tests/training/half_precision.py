"""Trains in half precision in a process of its own, because the policy is the process's; prints what a test checks."""

import json
import sys
from typing import Any

from runyard.bridge import keras_module, set_precision, start_tensorflow

start_tensorflow(2)

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

from tests.training.trainings import TARGET, X, Y, rows, training_of, weights_of  # noqa: E402


def model(keras: Any) -> Any:
    package = keras_module(keras)
    layers = package.layers
    package.utils.set_random_seed(1)
    inputs = package.Input((4,))
    hidden = layers.Dense(8, activation="relu")(inputs)
    return package.Model(
        inputs,
        [
            layers.Dense(1, "sigmoid", dtype="float32", name="a")(hidden),
            layers.Dense(1, dtype="float32", name="b")(hidden),
        ],
    )


def losses_over_epochs(keras: Any, **written: Any) -> dict[str, Any]:
    net = model(keras)
    data = rows(X, (Y, TARGET))
    written = {"losses": ["bce", "mse"], "mix_precision": True, **written}
    first = training_of(net, data, epochs=1, **written)().results["loss"]
    last = training_of(net, data, epochs=20, **written)().results["loss"]
    hidden = net.layers[1]
    return {"first": first, "last": last, "computes": str(hidden.compute_dtype), "keeps": str(hidden.kernel.dtype)}


def one_overflow(keras: Any) -> dict[str, Any]:
    """The rows of the first batch are so large that scaled gradients overflow."""
    net = model(keras)
    large = X.copy()
    large[:8] *= 3000.0
    training = training_of(net, rows(large, (Y, TARGET)), losses=["bce", "mse"], mix_precision=True, max_steps=1)
    before, scale = weights_of(net), training.engine.update.loss_scale
    assert scale is not None
    start = float(scale.factor)
    training()
    same = all((one == other).all() for one, other in zip(before, weights_of(net), strict=True))
    return {
        "factor": float(scale.factor) / start,
        "same": same,
        "steps": int(training.engine.optimizers[0].iterations),
        "finite": all(np.isfinite(weight).all() for weight in weights_of(net)),
    }


def embedding_rows() -> bool:
    from runyard.training.loss_scale import LossScale

    slices = tf.IndexedSlices(tf.constant([[2.0**15]]), tf.constant([1]), tf.constant([3, 1]))
    found = LossScale().unscale([slices, None])
    return isinstance(found[0], tf.IndexedSlices) and float(found[0].values[0, 0]) == 1.0 and found[1] is None


if __name__ == "__main__":
    version = int(sys.argv[1])
    set_precision(half=True)
    found = {
        "plain": losses_over_epochs(version),
        "pcgrad": losses_over_epochs(version, optimizer={"type": "adam", "grad_process": "pcgrad"}),
        "overflow": one_overflow(version),
        "rows": embedding_rows(),
    }
    sys.stdout.write(json.dumps(found))
