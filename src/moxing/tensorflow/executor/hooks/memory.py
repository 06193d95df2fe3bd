"""What a hook must not forget when a run is killed: a variable, so that it is of the same step as the weights."""

import re
from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

MEMORY = "mox_memory/"
_ODD = re.compile(r"[^A-Za-z0-9_.-]")


class Memory:
    """Some numbers of a hook in the checkpoints of its run.

    Args:
        names: whose they are; under another name they are not found again.
        at_first: what they are in a new training.
    """

    def __init__(self, *names: str, at_first: Sequence[float]) -> None:
        name = MEMORY + "/".join(_ODD.sub("_", part) for part in names)
        with tf.name_scope(None), tf.control_dependencies(None):
            start = tf.constant(list(at_first), tf.float64)
            self._variable = tf.Variable(start, name=name, trainable=False, use_resource=True)

    def recall(self, session: Any) -> list[float]:
        return [float(number) for number in session.run(self._variable)]

    def keep(self, session: Any, numbers: Sequence[float]) -> None:
        self._variable.load(list(numbers), session)
