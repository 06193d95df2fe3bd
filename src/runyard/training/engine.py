"""Everything that trains, as one object: what runs steps, what it has found, and what a checkpoint holds of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runyard.bridge import KerasVersion, finish_optimizer, optimizer_variables
from runyard.checkpoint.state import Stateful
from runyard.training.division import UNDIVIDED, Division
from runyard.training.loop import ManySteps
from runyard.training.metric_board import MetricBoard
from runyard.training.model_state import model_state, numbered
from runyard.training.own_state import OwnState
from runyard.training.rows_apart import RowsApart
from runyard.training.step import TrainingStep
from runyard.training.sums import LossSums
from runyard.training.update import Update
from runyard.training.workers import ALONE, Workers


@dataclass(frozen=True)
class Engine:
    """Everything that trains, and everything of it that a checkpoint holds.

    Args:
        run: makes many steps in one call.
        flush: applies the gradients that are left over at the end of an epoch, where several batches make one step.
        own: what this process has of its own in a model that several train.
        remarks: for the user, about how the parts fit together.
    """

    model: Any
    keras: KerasVersion
    step: TrainingStep
    run: ManySteps
    flush: Callable[[], None]
    own: OwnState
    remarks: Sequence[str]
    workers: Workers = ALONE
    division: Division = UNDIVIDED

    @property
    def board(self) -> MetricBoard:
        return self.step.board

    @property
    def sums(self) -> LossSums:
        return self.step.sums

    @property
    def update(self) -> Update:
        return self.step.update

    @property
    def optimizers(self) -> Sequence[Any]:
        return self.update.optimizers

    def finish(self) -> None:
        """What optimizers do after the last step: with `use_ema` their averages become the weights."""
        for optimizer, group in zip(self.optimizers, self.update.groups, strict=True):
            finish_optimizer(optimizer, group)

    def results(self) -> dict[str, Any]:
        """Losses and metrics of the epoch so far; the metrics are those of this worker alone."""
        return {**self.sums.means(), **self.board.results()}

    def results_of_all(self) -> dict[str, Any]:
        """Losses and metrics of the epoch so far, over the rows of all workers."""
        return {**self.sums.means(), **self.board.results_of_all(self.workers)}

    def results_names(self) -> list[str]:
        return [*self.sums.names, *self.board.names]

    def reset_results(self) -> None:
        self.sums.reset()
        self.board.reset()

    def parts(self) -> Mapping[str, Stateful]:
        optimizers = {
            f"optimizer_{place}": numbered(optimizer_variables(optimizer), name="slot")
            for place, optimizer in enumerate(self.optimizers)
        }
        return {
            "model": model_state(self.model, keras=self.keras),
            **optimizers,
            "update": numbered(self.update.own_variables, name="variable"),
            "losses": numbered(self.sums.variables, name="sum"),
            "metrics": self.board,
            "step": numbered([self.step.counter], name="step"),
            **{name: part for name, part in self.own.parts(0).items() if name != "model"},
        }

    def parts_of_shard(self, place: int) -> dict[str, Stateful]:
        """What one of the shards of this process, counted from 0, has of its own."""
        return {**self.own.parts(place), "metrics": RowsApart(self.board) if place else self.board}
