"""The steps of a training, and what happens between them."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf  # pyright: ignore[reportMissingImports]

from moxing.tensorflow.executor.call_threads import CallThreads
from moxing.tensorflow.executor.hook_list import steps_allowed
from moxing.tensorflow.executor.lines import log_line, warn_line
from moxing.tensorflow.executor.log_values import is_nan, shown
from moxing.tensorflow.executor.many_steps import ManySteps
from moxing.tensorflow.executor.outputs import Outputs
from moxing.tensorflow.executor.pace import Pace
from moxing.tensorflow.executor.place import Place
from moxing.tensorflow.executor.progress import Progress
from moxing.tensorflow.executor.run_view import RunView
from moxing.tensorflow.executor.saving import CheckpointWriter
from moxing.tensorflow.executor.summaries import SummaryWriter
from runyard.cluster.signals import StopSignals

_STEPS_BETWEEN_SPEEDS = 100


@dataclass(kw_only=True)
class TrainingLoop:
    """Steps until the limit, the end of the input, a hook's wish, or a signal.

    Attributes:
        session: the monitored one.
        raw_session: gives the one behind it, for what hooks must not see.
        operation: one step.
        names: of `log_info`.
        watched: the tensors of `log_info`, and, if `rows` is None, the number of rows of a step.
        rows: how many rows a step has.
        many: several steps in one call; None if that cannot be.
        limit: stop before this step; None: when the input ends.
    """

    session: Any
    raw_session: Any
    operation: Any
    names: Sequence[str]
    watched: Sequence[Any]
    rows: int | None
    view: RunView
    place: Place
    hooks: Sequence[Any]
    many: ManySteps | None
    outputs: Outputs | None
    summaries: SummaryWriter | None
    checkpoints: CheckpointWriter | None
    log_every: int
    limit: int | None
    progress: Progress
    signals: StopSignals

    def run(self, first: int) -> int:
        """Runs from a step on and returns the number of the step that would be next."""
        step, pace, threads = first, Pace(), CallThreads()
        self._line_time, self._line_step = time.perf_counter(), first
        self._speed_time, self._speed_step = self._line_time, first
        self._told_nan = False
        while (self.limit is None or step < self.limit) and not self._is_over():
            count = self._count(step, pace)
            started = time.perf_counter()
            self.view.step = step + count - 1
            try:
                results = self._call(count, threads.options)
            except (tf.errors.OutOfRangeError, tf.errors.CancelledError):
                step = self.place.steps_done(self.raw_session(), step)
                if step == first and self.place.is_local:
                    self._warn_of_no_data()
                break
            seconds = time.perf_counter() - started
            pace.learn(steps=count, seconds=seconds)
            threads.learn(steps=count, seconds=seconds)
            step += count
            self._tell(step - 1, results)
            self.progress.show(step)
        if self.outputs is not None:
            self.outputs.flush()
        return step

    def _is_over(self) -> bool:
        return self.signals.received is not None or self.session.should_stop()

    def _count(self, step: int, pace: Pace) -> int:
        """How many steps this call takes: up to the next whose values somebody wants."""
        if self.many is None or self.outputs is not None:
            return 1
        wishes = [pace.limit, steps_allowed(self.hooks)]
        if self.limit is not None:
            wishes.append(self.limit - step)
        if self.log_every:
            wishes.append(-step % self.log_every + 1)
        if self.summaries is not None:
            wishes.append(self.summaries.steps_left(step))
        if self.checkpoints is not None:
            wishes.append(self.checkpoints.steps_left(step))
        return min(wish for wish in wishes if wish is not None)

    def _call(self, count: int, options: tf.RunOptions) -> dict[str, Any]:
        step = self.view.step
        line = self._has_line(step) and bool(self.watched)
        summary = self.summaries is not None and self.summaries.is_due(step)
        if self.many is not None:
            watched, summaries = self.many.run(self.session, count, wanted=[line, summary], options=options)
            return {"watched": watched, "summary": summaries[0] if summary else None}
        if not (line or summary or self.outputs):
            self.session.run(self.operation)
            return {}
        fetches: dict[str, Any] = {"step": self.operation}
        if line:
            fetches["watched"] = list(self.watched)
        if summary and self.summaries is not None:
            fetches["summary"] = self.summaries.merged
        if self.outputs is not None:
            fetches["outputs"] = self.outputs.fetches
        return self.session.run(fetches)

    def _tell(self, step: int, results: dict[str, Any]) -> None:
        if self.outputs is not None:
            self.outputs.add(results["outputs"])
        if self._has_line(step):
            self._print_line(step, results.get("watched", ()))
        if self.summaries is not None:
            if results.get("summary") is not None:
                self.summaries.write(results["summary"], self._global(step))
            self._print_speed(step, self.summaries)
        if self.checkpoints is not None:
            self.checkpoints.save_if_due(self.raw_session(), step + 1)

    def _has_line(self, step: int) -> bool:
        return bool(self.log_every) and step % self.log_every == 0

    def _print_line(self, step: int, watched: Sequence[Any]) -> None:
        now = time.perf_counter()
        rows = int(watched[-1]) if self.rows is None else self.rows
        speed = rows * (step + 1 - self._line_step) / max(now - self._line_time, 1e-9)
        self._line_time, self._line_step = now, step + 1
        values = watched[: len(self.names)]
        told = shown(self.names, values)
        log_line(f"step: {step}(global step: {self._global(step)})\tsample/sec: {speed:.3f}{told}")
        self._warn_of_nan(values)

    def _global(self, step: int) -> int:
        """The global step after a local one."""
        return self.place.global_number(self.raw_session(), step + 1) - 1

    def _print_speed(self, step: int, summaries: SummaryWriter) -> None:
        done = step + 1 - self._speed_step
        if done >= _STEPS_BETWEEN_SPEEDS:
            now = time.perf_counter()
            speed = done / max(now - self._speed_time, 1e-9)
            self._speed_time, self._speed_step = now, step + 1
            log_line(f"global_step/sec: {speed:g}")
            summaries.write_speed(speed, step)

    def _warn_of_nan(self, values: Sequence[Any]) -> None:
        found = [name for name, value in zip(self.names, values, strict=True) if is_nan(value)]
        if found and not self._told_nan:
            self._told_nan = True
            warn_line(
                f"{found[0]} is no number any more: is the learning rate too large, or are there nans in the data?"
            )

    def _warn_of_no_data(self) -> None:
        needed = f": it takes {self.rows} rows" if self.view.batch_size is not None else ""
        warn_line(f"nothing was trained: what input_fn returns ended before the first step{needed}")
