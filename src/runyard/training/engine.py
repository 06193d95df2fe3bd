"""A model with its losses, metrics and optimizers, put together and ready to run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from runyard.bridge import (
    KerasVersion,
    finish_optimizer,
    keras_version_of,
    optimizer_variables,
    tensorflow_variable,
    without_reduction,
)
from runyard.checkpoint.state import Stateful
from runyard.config.train_args import TrainArgs
from runyard.data.elements import Element
from runyard.data.inputs import InputChoice
from runyard.training.accumulation import Accumulation
from runyard.training.average import WeightAverage
from runyard.training.backward import BackwardPass
from runyard.training.class_weight import ClassWeight
from runyard.training.coordinator import Coordinator
from runyard.training.devices import Spread
from runyard.training.division import UNDIVIDED, Division
from runyard.training.flat_group import FlatGroup
from runyard.training.groups import group_variables
from runyard.training.loop import ManySteps
from runyard.training.loss_scale import LossScale
from runyard.training.losses import build_losses
from runyard.training.metric_board import MetricBoard, build_board
from runyard.training.model_state import model_state, numbered
from runyard.training.optimizers import build_optimizer
from runyard.training.outputs import layout_of, trace_outputs
from runyard.training.own_state import OwnState
from runyard.training.replicated import ReplicatedPass
from runyard.training.shared_step import StepsTogether, StepTogether
from runyard.training.step import TrainingStep, loss_names
from runyard.training.steps_elsewhere import StepsElsewhere
from runyard.training.sums import LossSums
from runyard.training.update import Update
from runyard.training.workers import ALONE, Workers


@dataclass(frozen=True)
class UserFactories:
    """What only the user's script can make."""

    losses: Callable[[Any], object]
    metrics: Callable[[Any], object]
    groups: Callable[[Any], Sequence[Sequence[Any]]]


@dataclass(frozen=True)
class Engine:
    """Everything that trains, and everything of it that a checkpoint holds."""

    model: Any
    keras: KerasVersion
    run: ManySteps
    flush: Callable[[], None]
    board: MetricBoard
    sums: LossSums
    update: Update
    step: Any
    finite: Any
    remarks: Sequence[str]
    own: OwnState
    workers: Workers = ALONE
    division: Division = UNDIVIDED

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
            "step": numbered([self.step], name="step"),
            **{name: part for name, part in self.own.parts(0).items() if name != "model"},
        }

    def parts_of_shard(self, place: int) -> dict[str, Stateful]:
        """What one of the shards of this process, counted from 0, has of its own."""
        return {**self.own.parts(place), "metrics": self.board.apart() if place else self.board}


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
        element: an element of the batched training set as `tf.TensorSpec`s.
        division: of the rows of a step; None for one shard for each worker.

    Raises:
        ModelError, DataError: if model, data and job do not fit together.
    """
    keras = keras_version_of(model)
    assert keras is not None and args.losses is not None, "the model and the job file were checked"
    outputs = trace_outputs(model, inputs.apply(element.inputs))
    layout = layout_of(model, outputs)
    losses = build_losses(args.losses, layout=layout, keras=keras, factory=factories.losses)
    losses.refuse_missing(element.labels)
    board = build_board(
        args.metrics,
        args.weighted_metrics,
        layout=layout,
        labels=element.labels,
        outputs=outputs,
        keras=keras,
        factory=factories.metrics,
    )
    grouped = group_variables(
        model, optimizers=len(args.optimizer), ungrouped=args.ungrouped, ask_user=factories.groups
    )
    alone = not isinstance(workers, Coordinator)
    update = _build_update(grouped.groups, args=args, keras=keras, seed=seed, alone=alone)
    division = division or Division(shards=workers.size)
    own = OwnState(model, keras=keras, inputs=inputs.apply(element.inputs), division=division, workers=workers)
    sums = LossSums(loss_names(losses.names))
    step = tf.Variable(tf.constant(0, tf.int64), trainable=False, name="step")
    backward = BackwardPass(
        model,
        inputs,
        losses,
        [variable for group in grouped.groups for variable in group],
        keep_tasks_apart=update.pcgrad,
        loss_scale=update.loss_scale,
    )
    training_step = TrainingStep(
        backward=_on_devices(backward, division=division, own=own),
        update=update,
        board=board,
        sums=sums,
        step=step,
        class_weight=ClassWeight(args.class_weight) if args.class_weight else None,
        jit_compile=args.jit_compile,
    )
    return Engine(
        model=model,
        keras=keras,
        run=_many_steps(training_step, workers=workers, division=division, own=own),
        flush=tf.function(update.flush, autograph=False) if update.accumulation else _nothing_to_flush,
        board=board,
        sums=sums,
        update=update,
        step=step,
        finite=update.finite,
        remarks=[*losses.remarks, *grouped.remarks],
        own=own,
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


def _build_update(
    groups: Sequence[Sequence[Any]], *, args: TrainArgs, keras: KerasVersion, seed: int, alone: bool
) -> Update:
    """What changes the weights.

    Args:
        alone: whether nobody else changes the variables while a step is computed.
    """
    optimizers: list[Any] = []
    for spec, group in zip(args.optimizer, groups, strict=True):
        optimizer = without_reduction(build_optimizer(spec, keras=keras), keras=keras)
        optimizer.build(list(group))
        optimizers.append(optimizer)
    variables = [tensorflow_variable(variable) for group in groups for variable in group]
    batches = args.gradient.accumulate_steps
    return Update(
        optimizers=optimizers,
        groups=groups,
        flat_groups=[
            FlatGroup(each, group, keras=keras, allowed=alone) for each, group in zip(optimizers, groups, strict=True)
        ],
        keras=keras,
        config=args.gradient,
        seed=seed,
        pcgrad=args.optimizer[0].grad_process == "pcgrad",
        loss_scale=LossScale() if args.mix_precision else None,
        accumulation=Accumulation(variables, batches=batches) if batches > 1 else None,
        average=WeightAverage(variables, momentum=args.ema.momentum) if args.ema else None,
        turns=tf.CriticalSection(name="accumulation") if batches > 1 and not alone else None,
        stop_on_nan=args.term_on_nan,
        finite=tf.Variable(tf.constant(True), trainable=False, name="finite"),
    )
