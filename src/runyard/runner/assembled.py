"""A training that is ready to start: fit it, save what came out."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runyard.cluster import Heartbeat
from runyard.cluster.ending_at_once import ending_at_once
from runyard.cluster.signals import StopSignals
from runyard.config.train_args import TrainArgs
from runyard.data.elements import Element
from runyard.data.positions import DataPositions
from runyard.data.positions_elsewhere import PositionsElsewhere
from runyard.runner.blame import refuse_failing_step
from runyard.runner.carried_state import state_to_continue_from
from runyard.runner.continue_training import StartingPoint
from runyard.runner.job_script import JobScript
from runyard.runner.likeness import Likeness, refuse_unlike
from runyard.runner.plan import Plan
from runyard.runner.saving import save_trained
from runyard.runner.validated_model import training_inputs
from runyard.telemetry import say
from runyard.training.checkpoints import Checkpoints
from runyard.training.engine import Engine
from runyard.training.fit import Fit
from runyard.training.limits import Limits
from runyard.training.observers.base import Observer
from runyard.training.run_state import Outcome
from runyard.training.validation import Validation
from runyard.training.workers import meet

_KEPT: list[DataPositions | PositionsElsewhere] = []


@dataclass(frozen=True)
class Assembled:
    """A training that is ready to start."""

    plan: Plan
    script: JobScript
    args: TrainArgs
    element: Element
    """A batch of the training set as `tf.TensorSpec`s."""
    engine: Engine
    data: DataPositions | PositionsElsewhere
    validation: Validation
    observers: Sequence[Observer]
    limits: Limits
    start: StartingPoint
    directory: Path | None
    """Where checkpoints go; None for a training that keeps nothing."""
    heartbeat: Heartbeat
    how_to_go_on: str
    """What a person is told after a signal."""

    @property
    def input_spec(self) -> Any:
        """What the model is called with."""
        return training_inputs(self.args).apply(self.element.inputs)

    def meet(self) -> None:
        """Returns when all workers have come here: before it nobody begins.

        Raises:
            PeerLost: if one is gone.
            ScriptError: if the script has made something else on one of them.
        """
        meet(self.engine.workers)
        refuse_unlike(Likeness.of(self.engine, self.validation), workers=self.engine.workers)

    def active(self) -> AbstractContextManager[None]:
        """The context in which the script's code may run: `fit` and `save` are called within it."""
        return self.script.active()

    def fit(self) -> Outcome:
        """Trains, from the newest checkpoint if there is one."""
        with StopSignals(how_to_go_on=self.how_to_go_on) as signals:
            fit = Fit(
                self.engine,
                data=self.data,
                validation=self.validation,
                observers=self.observers,
                limits=self.limits,
                signals=signals,
                explain=self._explain,
                heartbeat=self.heartbeat,
            )
            if self.directory is not None:
                return self._fit_with_checkpoints(fit, directory=self.directory)
            self._keep_alive()
            self._begin()
            return fit(None)

    def save(self, outcome: Outcome) -> list[str]:
        """Saves the trained model; the paths of what was saved."""
        with ending_at_once(f"the training is saved, its model is not; {self.how_to_go_on}"):
            saved = save_trained(
                self.script,
                self.engine.model,
                plan=self.plan,
                input_spec=self.input_spec,
                results=outcome.results,
                state=state_to_continue_from(self.engine),
            )
        for path in saved:
            say(f"Saved {path}.")
        return saved

    def _fit_with_checkpoints(self, fit: Fit, *, directory: Path) -> Outcome:
        def tell(path: Path) -> None:
            for observer in self.observers:
                observer.on_checkpoint(fit.run, str(path))

        checkpoints = Checkpoints(
            directory,
            config=self.args.checkpoint,
            parts=fit.parts(),
            published=tell,
            workers=self.engine.workers,
            division=self.engine.division,
        )
        try:
            step = checkpoints.restore()
            if step is not None:
                say(f"Going on from the checkpoint at step {step} (epoch {fit.run.epoch + 1}).")
            else:
                self._begin()
            return fit(checkpoints)
        finally:
            checkpoints.abandon()
            self._keep_alive()

    def _begin(self) -> None:
        """What a run does once, and a resumed one does not do again."""
        self.start.apply(self.engine)
        self.engine.own.begin()

    def _explain(self) -> AbstractContextManager[None]:
        return refuse_failing_step(self.script, self.engine.model, element=self.element, args=self.args)

    def _keep_alive(self) -> None:
        """An iterator that is freed while the user's Python runs in it waits for ever: see `cli.app`."""
        if self.data.runs_python:
            _KEPT.append(self.data)
