"""One variable that scales what an optimizer does to the weights, whatever the optimizer is."""

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

_KEY = STEP_SCALE = "mox_step_scale"


def step_scale() -> Any:
    """The variable of this graph, 1.0 at first; made when it is first asked for."""
    made = tf.get_collection_ref(_KEY)
    if not made:
        with tf.name_scope(None), tf.control_dependencies(None):
            made.append(tf.Variable(1.0, name=STEP_SCALE, trainable=False, use_resource=True))
    return made[0]


def scaled_update(variables: Sequence[Any], apply: Callable[[], Any]) -> Any:
    """Applies an update, and takes back the part of it that the scale does not allow."""
    made = tf.get_collection(_KEY)
    if not made:
        return apply()
    scale = made[0]
    before = [tf.identity(variable.read_value()) for variable in variables]
    with tf.control_dependencies(before):
        applied = apply()
    with tf.control_dependencies([applied]):
        factor = scale.read_value()
        return tf.group(
            [
                variable.assign(_part(old, variable.read_value(), factor))
                for variable, old in zip(variables, before, strict=True)
            ]
        )


def _part(old: Any, new: Any, factor: Any) -> Any:
    """The way from old to new, as far as the factor says; at 1 the new value itself, to the last bit."""
    return tf.cond(tf.equal(factor, 1.0), lambda: new, lambda: old + tf.cast(factor, old.dtype) * (new - old))
