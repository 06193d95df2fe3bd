"""A dataset run through a model without training: losses and metrics over all of it."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from runyard.config import MetricSpec
from runyard.data.batches import explained
from runyard.data.elsewhere import DividedDataset
from runyard.data.tree import traits_of
from runyard.errors import DataError
from runyard.training.coordinator import Coordinator
from runyard.training.evaluation_step import EvaluationStep
from runyard.training.loop import ManySteps
from runyard.training.pace import Pace
from runyard.training.steps_elsewhere import StepsElsewhere
from runyard.training.workers import ALONE, Workers

_ALL = 2**62
_UNFINISHED: list[Any] = []
"""An iterator that is freed while the user's Python runs in it waits for ever: see `cli.app`."""


class EmptyDataset(DataError):
    """There is nothing to evaluate, whatever the model is."""


class LeavePass(BaseException):
    """Ends a pass early. It is no failure, so nothing that explains failures may catch it."""


def _go_on() -> None:
    pass


class Evaluation:
    """A model and datasets of one structure. Variables and the graph are made once and used for every pass.

    Args:
        dataset: in batches.
        workers: each of which has a part of the dataset.
    """

    def __init__(self, step: EvaluationStep, *, dataset: Any, workers: Workers = ALONE) -> None:
        self._step = step
        self._dataset = dataset
        self._workers = workers
        self._run = ManySteps(step)
        if isinstance(dataset, DividedDataset):
            assert isinstance(workers, Coordinator), "nobody else divides datasets"
            step.board.gather_at(workers.here)
            self._run = StepsElsewhere(step, coordinator=workers)
        self._pace = Pace()
        self._was_read = False

    @property
    def names(self) -> list[str]:
        return [*self._step.sums.names, *self._step.board.names]

    @property
    def specs(self) -> Mapping[str, MetricSpec]:
        """What each metric was made from, by its name."""
        return self._step.board.specs

    @property
    def traces(self) -> int:
        return self._run.traces

    @property
    def rows(self) -> int:
        """How many there were in the last pass, on this worker."""
        return int(self._step.rows)

    def __call__(
        self,
        dataset: Any = None,
        *,
        what: str = "dataset",
        batches: int | None = None,
        between_calls: Callable[[], None] = _go_on,
    ) -> dict[str, Any]:
        """Losses and metrics over the dataset, or its first batches.

        Args:
            dataset: another one of the same structure; None for the one that the evaluation was built with.
            what: the dataset is called in messages.
            batches: how many of its first; None for all.
            between_calls: called now and then; may raise `LeavePass` to end the pass, on all workers.

        Raises:
            EmptyDataset: if the dataset is empty.
        """
        self._step.reset()
        data = self._dataset if dataset is None else dataset
        at_most = _ALL if batches is None else batches
        if not self._read_together(data, at_most=at_most, between_calls=between_calls):
            raise EmptyDataset(
                f"there is nothing to evaluate: the {what} is empty",
                hint="look at file names, filters and dropped remainders",
            )
        return {**self._step.sums.means(), **self._step.board.results_of_all(self._workers)}

    def _read_together(self, dataset: Any, *, at_most: int, between_calls: Callable[[], None]) -> int:
        """Reads what this worker has; how many batches all had. The sums of losses are those of all then."""
        if self._workers.size == 1:
            return self._read(dataset, at_most=at_most, between_calls=between_calls)
        batches, leave = 0, False
        try:
            batches = self._read(dataset, at_most=at_most, between_calls=between_calls)
        except LeavePass:
            leave = True
        leavers, total, *sums = self._workers.totals([float(leave), batches, *self._step.sums.numbers()])
        if leavers:
            raise LeavePass
        self._step.sums.load_numbers(sums)
        return int(total)

    def _read(self, dataset: Any, *, at_most: int, between_calls: Callable[[], None]) -> int:
        """Reads to the end in calls that do not take long; how many batches there were."""
        iterator: Any = dataset.begin() if isinstance(dataset, DividedDataset) else iter(dataset)
        total, ended = 0, False
        try:
            while total < at_most and not ended:
                started = time.perf_counter()
                with explained(f"evaluating after batch {total}"):
                    done = self._run(iterator, at_most=min(self._pace.steps, at_most - total))
                self._pace.learn(steps=done.steps, seconds=time.perf_counter() - started)
                total += done.steps
                ended = done.ended
                if not ended:
                    self._refuse_unreadable()
                    between_calls()
        finally:
            if not ended and not isinstance(dataset, DividedDataset) and traits_of(dataset).python:
                _UNFINISHED.append(iterator)
        return total

    def _refuse_unreadable(self) -> None:
        """A metric that cannot say its value says so after the first batches, not after all of them."""
        if not self._was_read:
            self._step.board.results()
            self._was_read = True
