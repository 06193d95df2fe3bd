"""A training put together from a plan: script, model, data, engine, observers, checkpoints."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runyard.bridge import use_half_precision
from runyard.checkpoint.durable import storage_errors
from runyard.config.train_args import TrainArgs
from runyard.data.elements import split_element
from runyard.data.pipeline import prepare
from runyard.data.position import DataPosition
from runyard.models import refuse_destination
from runyard.runner.endless import refuse_endless
from runyard.runner.fitting import refuse_unfit
from runyard.runner.job_script import JobScript
from runyard.runner.observing import build_observers
from runyard.runner.plan import Plan
from runyard.runner.saving import save_trained
from runyard.runner.starting import configure_tensorflow
from runyard.runner.train import TrainOptions, training_args
from runyard.runner.validating import build_validation
from runyard.runner.validation import training_inputs
from runyard.script import load_script
from runyard.telemetry import note, say
from runyard.training.checkpoints import Checkpoints
from runyard.training.engine import Engine, UserFactories, build_engine
from runyard.training.fit import Fit, Limits, Outcome, refuse_unknown_monitor, steps_in_epoch
from runyard.training.observers.base import Observer
from runyard.training.randomness import Purpose, seed_for
from runyard.training.signals import StopSignals
from runyard.training.validation import Validation

_REHEARSED_STEPS = 2
_KEPT: list[DataPosition] = []


@dataclass(frozen=True)
class Assembled:
    """A training that is ready to start."""

    plan: Plan
    script: JobScript
    args: TrainArgs
    input_spec: Any
    engine: Engine
    data: DataPosition
    validation: Validation
    observers: Sequence[Observer]
    limits: Limits
    directory: Path | None
    """Where checkpoints go; None for a training that keeps nothing."""

    def save(self, outcome: Outcome) -> list[str]:
        """Saves the trained model; the paths of what was saved."""
        saved = save_trained(
            self.script, self.engine.model, plan=self.plan, input_spec=self.input_spec, results=outcome.results
        )
        for path in saved:
            say(f"Saved {path}.")
        return saved

    def active(self) -> AbstractContextManager[None]:
        return self.script.script.active()

    def fit(self) -> Outcome:
        """Trains, from the newest checkpoint if there is one."""
        with StopSignals() as signals:
            fit = Fit(
                self.engine,
                data=self.data,
                validation=self.validation,
                observers=self.observers,
                limits=self.limits,
                signals=signals,
            )
            if self.directory is None:
                self._keep_alive()
                return fit(None)

            def tell(path: Path) -> None:
                for observer in self.observers:
                    observer.on_checkpoint(fit, str(path))

            checkpoints = Checkpoints(
                self.directory,
                config=self.args.checkpoint,
                parts=fit.parts(),
                published=tell,
            )
            try:
                step = checkpoints.restore()
                if step is not None:
                    say(f"Going on from the checkpoint at step {step} (epoch {fit.epoch + 1}).")
                return fit(checkpoints)
            finally:
                checkpoints.abandon()
                self._keep_alive()

    def _keep_alive(self) -> None:
        """An iterator that is freed while the user's Python runs in it waits for ever: see `cli.app`."""
        if self.data.runs_python:
            _KEPT.append(self.data)


def assemble(plan: Plan, *, seed: int, directory: Path | None, options: TrainOptions) -> Assembled:
    """Loads the script, builds the model, reads the shape of the data, and puts everything together."""
    args = training_args(plan)
    destination = plan.paths.in_data(args.save_path)
    refuse_destination(destination)
    if not options.limited_data:
        with storage_errors(destination):
            destination.parent.mkdir(parents=True, exist_ok=True)
    configure_tensorflow(intra_op=args.intra_op_paral, inter_op=args.inter_op_paral, verbose=args.verbose)
    if args.mix_precision:
        use_half_precision()
    path = plan.draft.script_path
    assert path is not None, "the job file was checked"
    seed_for(seed, purpose=Purpose.MODEL)
    loaded = load_script(path)
    with loaded.active():
        script = JobScript(loaded, plan.job, plan.paths, lenient=plan.draft.lenient)
        seed_for(seed, purpose=Purpose.MODEL)
        model = script.create_model()
        seed_for(seed, purpose=Purpose.TRAINING_DATA)
        dataset = _training_set(script, args=args, options=options)
        data = DataPosition(dataset, say=say)
        engine = _engine(script, model, dataset=dataset, args=args, seed=seed)
        seed_for(seed, purpose=Purpose.VALIDATION_DATA)
        validation = build_validation(script, model=model, args=args, engine=engine, options=options)
        limits = _limits(args, data=data, options=options)
        if args.early_stopping is not None and not options.limited_data:
            refuse_unknown_monitor(args.early_stopping.monitor, names=[*engine.results_names(), *validation.names])
        observers = build_observers(
            script, plan=plan, args=args, engine=engine, limits=limits, dataset=dataset, options=options
        )
    for remark in engine.remarks:
        note(remark)
    spec = training_inputs(args).apply(split_element(dataset.element_spec).inputs)
    return Assembled(plan, script, args, spec, engine, data, validation, observers, limits, directory)


def _training_set(script: JobScript, *, args: TrainArgs, options: TrainOptions) -> Any:
    made = script.train_dataset()
    prepared = prepare(made.named[""], batch_size=made.batch_size, already_batched=made.batched, config=args.input)
    say(f"Training data: {prepared.done}.")
    if options.overfit_batches is None:
        refuse_endless(prepared.dataset, samples=args.num_samples, key="num_samples", what="training set")
    if options.overfit_batches is not None:
        return prepared.dataset.take(options.overfit_batches).cache()
    return prepared.dataset


def _engine(script: JobScript, model: Any, *, dataset: Any, args: TrainArgs, seed: int) -> Engine:
    element = split_element(dataset.element_spec)
    factories = UserFactories(
        losses=script.loss_factory(model), metrics=script.metric_factory(model), groups=script.variable_groups
    )
    inputs = training_inputs(args)
    message = "the training set does not fit the model"
    with refuse_unfit(message, came=element.inputs, folder=script.script.path.parent):
        return build_engine(model, args=args, element=element, inputs=inputs, factories=factories, seed=seed)


def _limits(args: TrainArgs, *, data: DataPosition, options: TrainOptions) -> Limits:
    steps_per_epoch = None
    if data.endless and args.num_samples:
        steps_per_epoch = steps_in_epoch(args.num_samples, batch_size=args.batch_size)
    if options.fast_dev_run:
        steps_per_epoch = _REHEARSED_STEPS
    return Limits(
        epochs=1 if options.fast_dev_run else args.epochs,
        steps_per_epoch=steps_per_epoch,
        max_steps=options.max_steps,
        steps_per_call=args.steps_per_execution,
        checkpoint_every=args.checkpoint.every_steps,
    )
