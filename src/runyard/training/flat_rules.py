"""Which variables of an optimizer are changed as one vector."""

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from runyard.bridge import tensorflow_variable

TOGETHER = 32_768
"""How many numbers one vector holds at most.

Measured with Adam on MLPs of 3 to 20 layers, both ways in turns: up to 30,000 numbers a step takes 0.7 to 0.9 times as
long as with variables one by one, around 50,000 as long, above 65,000 longer: a fast cache no longer holds the vectors.
"""

FEWEST = 3
"""Below, joining and splitting take as many operations as they save."""


def flat_places(gradients: Sequence[Any], variables: Sequence[Any]) -> tuple[int, ...]:
    """The places of the variables that go together: the smallest of those with nothing special about them.

    Args:
        variables: of either Keras.
    """
    pairs = zip(gradients, variables, strict=True)
    sizes = {
        place: _size(variable) for place, (gradient, variable) in enumerate(pairs) if _is_plain(gradient, variable)
    }
    chosen: list[int] = []
    left = TOGETHER
    for place in sorted(sizes, key=lambda place: sizes[place]):
        left -= sizes[place]
        if left < 0:
            break
        chosen.append(place)
    return tuple(sorted(chosen)) if len(chosen) >= FEWEST else ()


def _is_plain(gradient: Any, variable: Any) -> bool:
    if gradient is None or isinstance(gradient, tf.IndexedSlices):
        return False
    special = getattr(variable, "constraint", None) is not None or getattr(variable, "overwrite_with_gradient", False)
    return gradient.dtype == tensorflow_variable(variable).dtype == tf.float32 and not special


def _size(variable: Any) -> int:
    return tf.TensorShape(variable.shape).num_elements()


_READING = frozenset({"ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape"})
_READ_ONLY_INPUTS = "_read_only_resource_inputs"
"""What TensorFlow notes at the call of a function: which of the variables it is given are only read."""


def is_only_read(variable: Any) -> bool:
    """Whether nothing so far in the graph that is being made changes the variable, as spectral normalisation does."""
    graph: Any = tf.compat.v1.get_default_graph()
    handle = graph.capture(variable.handle)
    return all(_reads(operation, handle) for operation in handle.consumers())


def _reads(operation: Any, handle: Any) -> bool:
    if operation.type in _READING:
        return True
    if _READ_ONLY_INPUTS not in operation.node_def.attr:
        return False
    places = {place for place, given in enumerate(operation.inputs) if given is handle}
    return places <= set(operation.get_attr(_READ_ONLY_INPUTS))
