"""Gathers what `output_fn` is called with."""

from collections.abc import Callable, Sequence
from typing import Any

from moxing.tensorflow.executor.clones import Clone


class Outputs:
    """The `output_info` of all clones, step by step.

    Args:
        every: how many steps a call of `output_fn` gets; 0: one call, at the end, gets all.
    """

    def __init__(self, output_fn: Callable[..., Any], clones: Sequence[Clone], *, every: int) -> None:
        self.fetches = [clone.spec.output_info for clone in clones]
        self._output_fn = output_fn
        self._every = every
        self._gathered: list[dict[str, Any]] = []
        self._steps = 0

    def add(self, of_clones: Sequence[dict[str, Any]], *, rows: Sequence[int] | None = None) -> None:
        """The values of one step.

        Args:
            rows: of each clone; what a clone without data has computed is left out.
        """
        self._gathered += [dict(values) for clone, values in enumerate(of_clones) if rows is None or rows[clone]]
        self._steps += 1
        if self._every and self._steps == self._every:
            self.flush()

    def flush(self) -> None:
        """Calls `output_fn` with what it has not got yet."""
        if self._gathered:
            gathered, self._gathered = self._gathered, []
            self._output_fn(gathered)
        self._steps = 0
