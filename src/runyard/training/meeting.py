"""Where the workers of a training decide together, between two calls, what comes next."""

from collections.abc import Callable

from runyard.cluster.signals import StopSignals
from runyard.training.agreement import Agreement, agree
from runyard.training.checkpoints import Checkpoints
from runyard.training.nothing_kept import NothingKept
from runyard.training.run_state import RunState
from runyard.training.workers import Workers


class Meeting:
    """All workers come here at the same steps. One that trains alone agrees with itself.

    Args:
        next_steps: how many steps this worker would like the next call to have.
    """

    def __init__(self, run: RunState, *, workers: Workers, signals: StopSignals, next_steps: Callable[[], int]) -> None:
        self._run = run
        self._workers = workers
        self._signals = signals
        self._next_steps = next_steps

    def __call__(self, checkpoints: Checkpoints | NothingKept, *, epochs_done: int | None) -> Agreement:
        """What all do next. A stop that any of them has asked for ends the run of each.

        Args:
            epochs_done: at the end of an epoch; None within one.
        """
        # A run that ends writes its last checkpoint anyway; until then the chief's clock says when one is due.
        ends = self._run.end_reason is not None or self._signals.received is not None
        asks = self._run.is_chief and not ends
        mine = Agreement(
            signal=self._signals.received,
            stop_reason=self._run.stop_reason,
            save=asks and checkpoints.due(step=self._run.step, epochs_done=epochs_done),
            steps=self._next_steps(),
        )
        agreed = agree(mine, workers=self._workers)
        self._run.stop_reason = agreed.stop_reason
        return agreed
