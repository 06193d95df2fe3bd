"""The steps of EVAL and PREDICT: nothing changes, everything is looked at."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.keys import ModeKeys
from moxing.tensorflow.executor.lines import log_line
from moxing.tensorflow.executor.log_values import LogInfo, shown
from moxing.tensorflow.executor.outputs import Outputs
from moxing.tensorflow.executor.progress import Progress
from moxing.tensorflow.executor.run_view import RunView
from moxing.tensorflow.executor.stopping import stopped_early
from runyard.cluster.signals import StopSignals


class RowMeans:
    """Means over the rows of a run: each batch counts by its rows.

    Attributes:
        examples: the number that is told with them.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.examples = 0
        self._rows = 0
        self._sums = np.zeros(len(self.names))

    def add(self, values: Sequence[Any], *, rows: int) -> None:
        if rows:
            self._sums += np.asarray([float(value) for value in values]) * rows
            self._rows += rows

    def __str__(self) -> str:
        """`loss: 0.27084457268149165\\t[295 examples]`."""
        shown = [
            f"{name}: {float(total / self._rows) if self._rows else float('nan')!r}"
            for name, total in zip(self.names, self._sums, strict=True)
        ]
        return "\t".join([*shown, f"[{self.examples} examples]"]) if shown else f"\t[{self.examples} examples]"


@dataclass(kw_only=True)
class ReadingLoop:
    """Steps until the limit or the end of the input.

    Attributes:
        info: the `log_info` of the clones that are shown.
        rows: of each clone, as tensors; None: each has `batch_size`.
        work: something that a step must run even if nobody wants a value.
    """

    session: Any
    mode: str
    info: LogInfo
    rows: Sequence[Any] | None
    work: Any
    view: RunView
    outputs: Outputs | None
    log_every: int
    limit: int | None
    progress: Progress
    signals: StopSignals

    def run(self) -> RowMeans:
        """Runs all steps and returns the means of `log_info`.

        Raises:
            Interrupted, Terminated: if a signal has come; then `output_fn` gets no remainder, which would look whole.
        """
        means = RowMeans(self.info.names)
        fetches: dict[str, Any] = {"info": [list(clone) for clone in self.info.of_clones], "work": self.work}
        if self.rows is not None:
            fetches["rows"] = list(self.rows)
        if self.outputs is not None:
            fetches["outputs"] = self.outputs.fetches
        step, since, seen = 0, time.perf_counter(), 0
        while (self.limit is None or step < self.limit) and not self.session.should_stop():
            if self.signals.received is not None:
                raise stopped_early(self.signals, ends=f"{self.mode} ends after {step} steps")
            self.view.step = step
            try:
                results = self.session.run(fetches)
            except tf.errors.OutOfRangeError:
                break
            rows = self._rows(results)
            for values, of_clone in zip(results["info"], rows, strict=False):
                means.add(values, rows=of_clone)
            measured = rows[: len(results["info"])] if self.mode == ModeKeys.EVAL else rows
            means.examples += sum(measured)
            if self.outputs is not None:
                self.outputs.add(results["outputs"], rows=rows)
            seen += sum(rows)
            step += 1
            if self.log_every and step % self.log_every == 0:
                now = time.perf_counter()
                speed = seen / max(now - since, 1e-9)
                values = shown(self.info.names, _means(results["info"], rows))
                log_line(f"step: {step - 1}\tsample/sec: {speed:.3f}{values}")
                since, seen = now, 0
            self.progress.show(step)
        if self.outputs is not None:
            self.outputs.flush()
        return means

    def _rows(self, results: dict[str, Any]) -> list[int]:
        if self.rows is not None:
            return [int(rows) for rows in results["rows"]]
        return [self.view.batch_size or 1] * self.view.num_clones


def _means(of_clones: Sequence[Sequence[Any]], rows: Sequence[int]) -> list[float]:
    with_data = [clone for clone, number in zip(of_clones, rows, strict=False) if number] or list(of_clones)
    return [float(np.mean(column)) for column in zip(*with_data, strict=True)]
