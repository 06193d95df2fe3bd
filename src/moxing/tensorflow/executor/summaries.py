"""Summaries for TensorBoard."""

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.clones import Clone
from moxing.tensorflow.executor.lines import warn_line


class SummaryWriter:
    """Writes the summaries of a clone, of its optimizers and of `log_info` into `log_dir`.

    Those of other clones, of the inter mode and of `input_fn` are left out: to compute them would take data.

    Args:
        optimizers: the summaries of `optimizer_fn`.
        names: of `log_info`.
        every: steps between two.
    """

    def __init__(
        self,
        clone: Clone,
        *,
        optimizers: Sequence[Any],
        names: Sequence[str],
        values: Sequence[Any],
        log_dir: str,
        every: int,
    ) -> None:
        summaries = [*clone.collections.get(tf.GraphKeys.SUMMARIES), *optimizers]
        kept = [one for one in summaries if _can_be_written(one)]
        with tf.name_scope(None):
            for name, value in zip(names, values, strict=True):
                if value.dtype.is_floating or value.dtype.is_integer:
                    kept.append(tf.summary.scalar(name, value))
        self.merged = tf.summary.merge(kept) if kept else None
        self._scope = clone.scope
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
        """Writes each tag once: of a summary of the program and one of `log_info` with the same name, the program's."""
        by_tag: dict[str, Any] = {}
        for value in tf.Summary.FromString(summary).value:
            value.tag = value.tag.removeprefix(self._scope)
            by_tag.setdefault(value.tag, value)
        self._writer.add_summary(tf.Summary(value=by_tag.values()), step)

    def write_speed(self, steps_per_second: float, step: int) -> None:
        value = tf.Summary.Value(tag="global_step/sec", simple_value=steps_per_second)
        self._writer.add_summary(tf.Summary(value=[value]), step)

    def close(self) -> None:
        self._writer.close()


def _can_be_written(summary: Any) -> bool:
    """What is made in a branch or a loop has a value only there."""
    operation = summary.op
    if operation.graph is tf.get_default_graph() and operation._get_control_flow_context() is None:
        return True
    warn_line(f"the summary {operation.name} is made within tf.cond or tf.while_loop and is left out: make it outside")
    return False
