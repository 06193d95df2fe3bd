"""A training put together from a plan: script, model, data, engine, observers, checkpoints."""

from pathlib import Path
from typing import Any

from runyard.checkpoint.durable import storage_errors
from runyard.cluster import Heartbeat
from runyard.config.train_args import TrainArgs
from runyard.data.elements import split_element
from runyard.data.tree import may_be_endless
from runyard.models import refuse_destination
from runyard.runner.assembled import Assembled
from runyard.runner.continue_training import starting_point
from runyard.runner.observing import build_observers, without_early_stopping
from runyard.runner.plan import Plan
from runyard.runner.train_options import TrainOptions
from runyard.runner.training_parts import TrainingParts, load_for_training
from runyard.telemetry import note
from runyard.training.division import UNDIVIDED, Division
from runyard.training.limits import Limits, steps_in_epoch
from runyard.training.workers import ALONE, Workers, is_chief

_REHEARSED_STEPS = 2


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
    if is_chief(workers):
        _prepare_destination(plan.paths.in_data(args.save_path), options=options)
    script = load_for_training(plan, seed=seed)
    with script.active():
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
        plan=plan,
        script=script,
        args=args,
        element=element,
        engine=engine,
        data=data,
        validation=validation,
        observers=observers,
        limits=limits,
        start=start,
        directory=directory,
        heartbeat=heartbeat or Heartbeat(),
        how_to_go_on=again,
    )


def _prepare_destination(destination: Path, *, options: TrainOptions) -> None:
    """Finds out now, not after hours, whether the model can be saved there."""
    refuse_destination(destination)
    if not options.limited_data:
        with storage_errors(destination):
            destination.parent.mkdir(parents=True, exist_ok=True)


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
