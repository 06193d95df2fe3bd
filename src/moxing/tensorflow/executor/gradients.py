"""The clones' gradients: computed on each, averaged, unscaled, clipped."""

import re
from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.failures import WrongValue

Pair = tuple[Any, Any]


def averaged(pairs_of_clones: Sequence[Sequence[Pair]], *, scale: float) -> list[Pair]:
    """The mean of the clones' gradients for each variable, divided by the scale that the losses had.

    Variables that no clone has a gradient for are left out.
    """
    found: dict[str, tuple[Any, list[Any]]] = {}
    for pairs in pairs_of_clones:
        for gradient, variable in pairs:
            if gradient is not None:
                found.setdefault(variable.name, (variable, []))[1].append(gradient)
    factor = 1.0 / (len(pairs_of_clones) * scale)
    return [(_scaled_sum(gradients, factor), variable) for variable, gradients in found.values()]


def _scaled_sum(gradients: Sequence[Any], factor: float) -> Any:
    if any(isinstance(gradient, tf.IndexedSlices) for gradient in gradients):
        if not all(isinstance(gradient, tf.IndexedSlices) for gradient in gradients):
            return _scaled_sum([tf.convert_to_tensor(gradient) for gradient in gradients], factor)
        if len(gradients) == 1 and factor == 1.0:
            return gradients[0]
        values = tf.concat([gradient.values for gradient in gradients], 0)
        indices = tf.concat([gradient.indices for gradient in gradients], 0)
        return tf.IndexedSlices(_times(values, factor), indices, gradients[0].dense_shape)
    return _times(gradients[0] if len(gradients) == 1 else tf.add_n(list(gradients)), factor)


def _times(tensor: Any, factor: float) -> Any:
    return tensor if factor == 1.0 else tensor * tf.cast(factor, tensor.dtype)


def clipped(pairs: Sequence[Pair], *, at: float, kind: str) -> list[Pair]:
    """Gradients that are not too large.

    Args:
        at: the limit; 0: none.
        kind: `norm` limits each gradient's norm, `global_norm` that of all together, `value` each number.

    Raises:
        WrongValue: for another kind.
    """
    if not at:
        return list(pairs)
    gradients, variables = [gradient for gradient, _ in pairs], [variable for _, variable in pairs]
    if kind == "global_norm":
        gradients, _ = tf.clip_by_global_norm(gradients, at)
    elif kind == "norm":
        gradients = [tf.clip_by_norm(gradient, at) for gradient in gradients]
    elif kind == "value":
        gradients = [tf.clip_by_value(tf.convert_to_tensor(gradient), -at, at) for gradient in gradients]
    else:
        raise WrongValue(f"--gradient_clip_type is {kind!r}; it must be norm, global_norm or value")
    return list(zip(gradients, variables, strict=True))


def matching(names: Sequence[str], patterns: str) -> set[str]:
    """The names that one of the comma-separated patterns is found in; no patterns: none.

    Raises:
        WrongValue: for a pattern that is no regular expression.
    """
    found: set[str] = set()
    for pattern in filter(None, (part.strip() for part in patterns.split(","))):
        try:
            found |= {name for name in names if re.search(pattern, name)}
        except re.error as error:
            raise WrongValue(f"{pattern!r} is no pattern for names: {error}") from None
    return found
