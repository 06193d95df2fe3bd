"""Summaries for TensorBoard."""

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.clones import Clone


class SummaryWriter:
    """Writes the summaries of the first clone, and those of `log_info`, into `log_dir`.

    Args:
        every: steps between two.
    """

    def __init__(
        self, clones: Sequence[Clone], *, names: Sequence[str], values: Sequence[Any], log_dir: str, every: int
    ) -> None:
        others = {id(one) for clone in clones[1:] for one in clone.collections.get(tf.GraphKeys.SUMMARIES)}
        with tf.name_scope(None):
            for name, value in zip(names, values, strict=True):
                if value.dtype.is_floating or value.dtype.is_integer:
                    tf.summary.scalar(name, value)
        kept = [one for one in tf.get_collection(tf.GraphKeys.SUMMARIES) if id(one) not in others]
        self.merged = tf.summary.merge(kept) if kept else None
        self._scope = clones[0].scope
        self._every = every
        self._writer = tf.summary.FileWriter(log_dir, tf.get_default_graph())

    def is_due(self, step: int) -> bool:
        return bool(self.merged is not None and self._every and step % self._every == 0)

    def steps_left(self, step: int) -> int | None:
        """How many steps it is to the next that has summaries, that one included."""
        if self.merged is None or not self._every:
            return None
        return -step % self._every + 1

    def write(self, summary: bytes, step: int) -> None:
        parsed = tf.Summary.FromString(summary)
        for value in parsed.value:
            value.tag = value.tag.removeprefix(self._scope)
        self._writer.add_summary(parsed, step)

    def write_speed(self, steps_per_second: float, step: int) -> None:
        value = tf.Summary.Value(tag="global_step/sec", simple_value=steps_per_second)
        self._writer.add_summary(tf.Summary(value=[value]), step)

    def close(self) -> None:
        self._writer.close()
