"""A loss that is not finite any more: the training ends, or goes on after a warning."""

import math

from runyard.errors import TrainingDiverged
from runyard.telemetry import note
from runyard.training.engine import Engine
from runyard.training.run_state import RunState


class DivergenceWatch:
    """Looks at the loss after each call of steps."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._has_warned = False

    def refuse(self, run: RunState) -> None:
        """Ends a job with `term_on_nan`. Its last step has changed no weights.

        Raises:
            TrainingDiverged: if a loss or a gradient of the last step is not finite.
        """
        if self._engine.update.stop_on_nan and not bool(self._engine.update.finite):
            raise TrainingDiverged(
                f"the loss or a gradient is not finite in step {run.step} (epoch {run.epoch + 1}, batch {run.batch})",
                hint="lower the learning rate, clip gradients (train_args.gradient), or look at this batch; "
                "the last checkpoint stays",
            )

    def warn(self, run: RunState) -> None:
        """Says so when it first happens in a job that goes on."""
        if not self._has_warned and not math.isfinite(self._engine.sums.means()["loss"]):
            self._has_warned = True
            note(
                f"the loss is not finite any more by step {run.step} (epoch {run.epoch + 1}); the training goes on, "
                "train_args.term_on_nan would end it"
            )
