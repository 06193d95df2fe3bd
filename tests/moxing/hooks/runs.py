"""Small runs with hooks. The model is one weight that is its own loss, so each step of SGD takes the rate off it."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox

EVALUATED = np.arange(8, dtype=np.float32)


def input_fn(mode: str, **_: Any) -> Any:
    """Zeros for training, 0 to 7 for evaluation; both without end."""
    values = EVALUATED if mode == mox.ModeKeys.EVAL else np.zeros(8, np.float32)
    return tf.data.make_one_shot_iterator(tf.data.Dataset.from_tensor_slices(values).repeat()).get_next()


def model_with(hooks: Callable[..., Sequence[Any]]) -> Callable[..., Any]:
    """A model whose hooks are made from its input, its weight and its mode."""

    def model_fn(inputs: Any, mode: str, **_: Any) -> Any:
        weight = tf.get_variable("weight", [], initializer=tf.ones_initializer())
        value = tf.reduce_mean(inputs[0])
        # The gradient waits for what was read, so that what is read is the weight before the step.
        read = tf.stop_gradient(tf.identity(weight))
        return mox.ModelSpec(
            loss=weight * (1.0 + 0.0 * read * value),
            log_info={"weight": read},
            output_info={"weight": read},
            hooks=list(hooks(value, weight, mode)),
        )

    return model_fn


def train(hooks: Callable[..., Sequence[Any]], *, steps: int, optimizer: str = "sgd", **arguments: Any) -> list[float]:
    """Trains and returns the weight at the beginning of every step."""
    seen: list[float] = []

    def output_fn(outputs: Any) -> None:
        seen.extend(float(output["weight"]) for output in outputs)

    usual: dict[str, Any] = {
        "input_fn": input_fn,
        "model_fn": model_with(hooks),
        "optimizer_fn": mox.get_optimizer_fn(optimizer, learning_rate=1.0),
        "output_fn": output_fn,
        "batch_size": 2,
        "run_mode": mox.ModeKeys.TRAIN,
        "inter_mode": mox.ModeKeys.EVAL,
        "max_number_of_steps": steps,
        "log_every_n_steps": 4,
    }
    mox.run(**(usual | arguments))
    return seen


def lines(text: str, prefix: str) -> list[str]:
    """Console lines that begin so, without what all have."""
    shown = [line.removeprefix("INFO:tensorflow:") for line in text.splitlines()]
    return [line for line in shown if line.startswith(prefix)]
