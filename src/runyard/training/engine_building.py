"""A model with its losses, metrics and optimizers, put together and ready to run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from runyard.bridge import keras_version_of
from runyard.config.train_args import TrainArgs
from runyard.data.elements import Element
from runyard.data.inputs import InputChoice
from runyard.training.backward import BackwardPass
from runyard.training.class_weight import ClassWeight
from runyard.training.coordinator import Coordinator
from runyard.training.devices import Spread
from runyard.training.division import Division
from runyard.training.engine import Engine
from runyard.training.groups import group_variables
from runyard.training.loop import ManySteps
from runyard.training.own_state import OwnState
from runyard.training.replicated import ReplicatedPass
from runyard.training.shared_step import StepsTogether, StepTogether
from runyard.training.step import TrainingStep, loss_names
from runyard.training.steps_elsewhere import StepsElsewhere
from runyard.training.sums import LossSums
from runyard.training.traced_model import trace_model
from runyard.training.update_building import build_update
from runyard.training.workers import ALONE, Workers


@dataclass(frozen=True)
class UserFactories:
    """What only the user's script can make."""

    losses: Callable[[Any], object]
    metrics: Callable[[Any], object]
    groups: Callable[[Any], Sequence[Sequence[Any]]]


def build_engine(
    model: Any,
    *,
    args: TrainArgs,
    element: Element,
    inputs: InputChoice,
    factories: UserFactories,
    seed: int,
    workers: Workers = ALONE,
    division: Division | None = None,
) -> Engine:
    """Puts a training together.

    Args:
        model: a Keras model.
        element: an element of the batched training set as `tf.TensorSpec`s.
        inputs: which of its tensors the model is called with.
        division: of the rows of a step; None for one shard for each worker.

    Raises:
        ModelError, DataError: if model, data and job do not fit together.
    """
    keras = keras_version_of(model)
    assert keras is not None and args.losses is not None, "the model and the job file were checked"
    division = division or Division(shards=workers.size)
    traced = trace_model(model, element=element, inputs=inputs, keras=keras)
    losses = traced.losses(args.losses, factory=factories.losses)
    board = traced.metrics(args.metrics, weighted=args.weighted_metrics, factory=factories.metrics)
    grouped = group_variables(
        model, optimizers=len(args.optimizer), ungrouped=args.ungrouped, ask_user=factories.groups
    )
    alone = not isinstance(workers, Coordinator)
    update = build_update(grouped.groups, args=args, keras=keras, seed=seed, alone=alone)
    own = OwnState(model, keras=keras, inputs=inputs.apply(element.inputs), division=division, workers=workers)
    variables = [variable for group in grouped.groups for variable in group]
    backward = BackwardPass(
        model, inputs, losses, variables, keep_tasks_apart=update.pcgrad, loss_scale=update.loss_scale
    )
    step = TrainingStep(
        backward=_on_devices(backward, division=division, own=own),
        update=update,
        board=board,
        sums=LossSums(loss_names(losses.names)),
        counter=tf.Variable(tf.constant(0, tf.int64), trainable=False, name="step"),
        class_weight=ClassWeight(args.class_weight) if args.class_weight else None,
        jit_compile=args.jit_compile,
    )
    return Engine(
        model=model,
        keras=keras,
        step=step,
        run=_many_steps(step, workers=workers, division=division, own=own),
        flush=tf.function(update.flush, autograph=False) if update.accumulation else _nothing_to_flush,
        own=own,
        remarks=[*losses.remarks, *grouped.remarks],
        workers=workers,
        division=division,
    )


def _many_steps(
    step: TrainingStep, *, workers: Workers, division: Division, own: OwnState
) -> ManySteps | StepsElsewhere:
    """The steps of a call: of this process, of all workers together, or on the workers of parameter servers."""
    update = step.update
    go_on = update.finite.read_value if update.stop_on_nan else None
    if isinstance(workers, Coordinator):
        step.board.gather_at(workers.here)
        return StepsElsewhere(step, coordinator=workers, go_on=go_on)
    if division.shards == 1:
        return ManySteps(step, go_on=go_on, around=update)
    return StepsTogether(StepTogether(step, workers, own.of_shards), go_on=go_on, around=update)


def _on_devices(backward: BackwardPass, *, division: Division, own: OwnState) -> BackwardPass | ReplicatedPass:
    if division.replicas == 1:
        return backward
    return ReplicatedPass(backward, Spread(division.replicas), own.of_replicas)


def _nothing_to_flush() -> None:
    pass
