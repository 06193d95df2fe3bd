"""A training put together from a plan: script, model, data, engine, observers, checkpoints."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runyard.checkpoint.durable import storage_errors
from runyard.cluster import Heartbeat
from runyard.cluster.signals import StopSignals
from runyard.config.train_args import TrainArgs
from runyard.data.elements import Element, split_element
from runyard.data.elsewhere import PositionsElsewhere
from runyard.data.positions import DataPositions
from runyard.data.tree import may_be_endless
from runyard.models import refuse_destination
from runyard.runner.blame import refuse_failing_step
from runyard.runner.carried_state import state_to_continue_from
from runyard.runner.continue_training import StartingPoint, starting_point
from runyard.runner.job_script import JobScript
from runyard.runner.observing import build_observers, without_early_stopping
from runyard.runner.plan import Plan
from runyard.runner.saving import save_trained
from runyard.runner.train_options import TrainOptions
from runyard.runner.training_parts import TrainingParts, load_for_training
from runyard.runner.validated_model import training_inputs
from runyard.telemetry import note, say
from runyard.training.checkpoints import Checkpoints
from runyard.training.division import UNDIVIDED, Division
from runyard.training.engine import Engine
from runyard.training.fit import Fit, Outcome
from runyard.training.limits import Limits, steps_in_epoch
from runyard.training.observers.base import Observer
from runyard.training.validation import Validation
from runyard.training.workers import ALONE, Workers, is_chief

_REHEARSED_STEPS = 2
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
    """After a signal."""

    @property
    def input_spec(self) -> Any:
        """What the model is called with."""
        return training_inputs(self.args).apply(self.element.inputs)

    def save(self, outcome: Outcome) -> list[str]:
        """Saves the trained model; the paths of what was saved."""
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

    def active(self) -> AbstractContextManager[None]:
        return self.script.script.active()

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
            if self.directory is None:
                self._keep_alive()
                self._begin()
                return fit(None)

            def tell(path: Path) -> None:
                for observer in self.observers:
                    observer.on_checkpoint(fit.run, str(path))

            checkpoints = Checkpoints(
                self.directory,
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
        self.start.apply(self.engine)
        self.engine.own.begin()

    def _explain(self) -> AbstractContextManager[None]:
        return refuse_failing_step(self.script, self.engine.model, element=self.element, args=self.args)

    def _keep_alive(self) -> None:
        """An iterator that is freed while the user's Python runs in it waits for ever: see `cli.app`."""
        if self.data.runs_python:
            _KEPT.append(self.data)


def assemble(
    plan: Plan,
    *,
    seed: int,
    directory: Path | None,
    options: TrainOptions,
    workers: Workers = ALONE,
    division: Division = UNDIVIDED,
    heartbeat: Heartbeat | None = None,
) -> Assembled:
    """Loads the script, builds the model, reads the shape of the data, and puts everything together."""
    args = plan.train_args
    destination = plan.paths.in_data(args.save_path)
    if is_chief(workers):
        refuse_destination(destination)
        if not options.limited_data:
            with storage_errors(destination):
                destination.parent.mkdir(parents=True, exist_ok=True)
    script = load_for_training(plan, seed=seed)
    with script.script.active():
        parts = TrainingParts(script, args=args, seed=seed, options=options, workers=workers, division=division)
        new = parts.model()
        dataset = parts.training_set()
        data = parts.positions(dataset)
        element = split_element(dataset.element_spec)
        with parts.refusing_misfits(new, inputs=element.inputs), parts.placing_variables():
            start = starting_point(script, plan=plan, new=new, dataset=dataset)
        model = start.model
        engine = parts.engine(model, dataset=dataset)
        validation, remarks = parts.validation(model, engine=engine)
        parts.refuse_unknown_monitor(engine=engine, validation=validation)
        limits = _limits(args, dataset=dataset, options=options, batch_size=args.batch_size * division.parts)
        observers = build_observers(
            script, plan=plan, args=args, engine=engine, limits=limits, dataset=dataset, options=options
        )
    for remark in [*engine.remarks, *remarks, *without_early_stopping(args, options=options)]:
        note(remark)
    again = "the same command without --fresh goes on" if options.fresh else "the same command goes on"
    return Assembled(
        plan,
        script,
        args,
        element,
        engine,
        data,
        validation,
        observers,
        limits,
        start,
        directory,
        heartbeat or Heartbeat(),
        how_to_go_on=again,
    )


def _limits(args: TrainArgs, *, dataset: Any, options: TrainOptions, batch_size: int) -> Limits:
    steps_per_epoch = None
    if args.num_samples and may_be_endless(dataset):
        steps_per_epoch = steps_in_epoch(args.num_samples, batch_size=batch_size)
    if options.fast_dev_run:
        steps_per_epoch = _REHEARSED_STEPS
    return Limits(
        epochs=1 if options.fast_dev_run else args.epochs,
        steps_per_epoch=steps_per_epoch,
        max_steps=options.max_steps,
        steps_per_call=args.steps_per_execution,
        checkpoint_every=args.checkpoint.every_steps,
    )
