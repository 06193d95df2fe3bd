"""The observers of a training: those the job asks for, and the user's own."""

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from runyard.bridge import tensorflow_variable
from runyard.config.train_args import TrainArgs
from runyard.data.elements import split_element
from runyard.runner.job_script import JobScript
from runyard.runner.plan import Plan
from runyard.runner.train_options import TrainOptions
from runyard.runner.validated_model import training_inputs
from runyard.telemetry import say
from runyard.training.engine import Engine
from runyard.training.limits import Limits, steps_in_epoch
from runyard.training.observers.average import AverageObserver
from runyard.training.observers.base import Observer
from runyard.training.observers.early_stopping import EarlyStoppingObserver
from runyard.training.observers.metric_log import MetricLog
from runyard.training.observers.progress import ProgressObserver
from runyard.training.observers.speed import SpeedObserver
from runyard.training.observers.tensorboard import TensorBoardObserver
from runyard.training.observers.users import user_observers
from runyard.training.workers import is_chief


def build_observers(
    script: JobScript,
    *,
    plan: Plan,
    args: TrainArgs,
    engine: Engine,
    limits: Limits,
    dataset: Any,
    options: TrainOptions,
) -> Sequence[Observer]:
    """In the order in which they are told: what changes weights first, what shows them after that, the user's last.

    With several workers each has those that decide, and the user's; the chief alone has those that show and write.
    """
    observers: list[Observer] = []
    if engine.update.average is not None:
        observers.append(AverageObserver(engine.update.average))
    if args.early_stopping is not None and not options.limited_data:
        weights = [tensorflow_variable(variable) for variable in engine.model.weights]
        average = engine.update.average
        validated = average.instead_of(weights) if average else weights
        observers.append(EarlyStoppingObserver(args.early_stopping, weights=weights, validated=validated))
    own = user_observers(script.observers(), folder=script.folder, active=script.active)
    if not is_chief(engine.workers):
        return [*observers, *own]
    batch_size = args.batch_size * engine.division.parts
    steps = limits.steps_per_epoch or _known_steps(dataset, args=args, batch_size=batch_size)
    observers.append(ProgressObserver(epochs=limits.epochs, steps_per_epoch=steps, batch_size=batch_size))
    if args.train_speed_logger is not None:
        observers.append(SpeedObserver(args.train_speed_logger, batch_size=batch_size, say=say))
    if not options.limited_data:
        observers.append(MetricLog(plan.paths.in_data("metrics.jsonl")))
        if args.tensorboard is not None:
            log_dir = plan.paths.in_data(args.tensorboard.log_dir)
            observers.append(
                TensorBoardObserver(
                    args.tensorboard,
                    log_dir=log_dir,
                    optimizers=engine.optimizers,
                    inputs=training_inputs(args).apply(split_element(dataset.element_spec).inputs),
                    data_path=plan.paths.data,
                )
            )
    return [*observers, *own]


def without_early_stopping(args: TrainArgs, *, options: TrainOptions) -> list[str]:
    """A remark for a run whose metrics mean too little to stop it."""
    if args.early_stopping is None or not options.limited_data:
        return []
    return ["early_stopping is left out of a run on a few batches"]


def _known_steps(dataset: Any, *, args: TrainArgs, batch_size: int) -> int | None:
    """Batches of an epoch, for the progress bar."""
    found = int(dataset.cardinality())
    if found not in (tf.data.INFINITE_CARDINALITY, tf.data.UNKNOWN_CARDINALITY):
        return found
    return steps_in_epoch(args.num_samples, batch_size=batch_size) if args.num_samples else None
