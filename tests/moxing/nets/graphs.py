"""Networks in graphs of their own, built and not run."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import tensorflow.compat.v1 as tf

import moxing.tensorflow as mox


@dataclass(frozen=True)
class Built:
    """What a network has left in its graph."""

    logits: tuple[int | None, ...]
    points: dict[str, Any]
    variables: dict[str, tuple[int, ...]]
    trained: dict[str, tuple[int, ...]]
    decayed: int


def images(name: str, *, size: int | None = None) -> Any:
    """Two images as a network wants them."""
    side = size or mox.get_model_meta(name).default_image_size
    return tf.zeros([2, side, side, 1 if name == "lenet" else 3])


@cache
def built(name: str, *, mode: str = mox.ModeKeys.EVAL, num_classes: int = 10) -> Built:
    """A network at its own image size, with weight decay."""
    with tf.Graph().as_default():
        network = mox.get_model_fn(name, mode, num_classes, weight_decay=0.001, batch_norm_fused=True)
        logits, points = network(images(name))
        return Built(
            logits=tuple(logits.shape.as_list()),
            points=points,
            variables=_shapes(tf.global_variables()),
            trained=_shapes(tf.trainable_variables()),
            decayed=len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)),
        )


def _shapes(variables: list[Any]) -> dict[str, tuple[int, ...]]:
    return {one.op.name: tuple(one.shape.as_list()) for one in variables}
