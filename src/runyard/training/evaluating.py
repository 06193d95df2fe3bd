"""A dataset run through a model without training: losses and metrics over all of it."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from runyard.bridge import call_model, chosen_keras, keras_version_of
from runyard.config import MetricSpec
from runyard.config.written_forms import LossForms, MetricForms
from runyard.data.batch_rows import put_together, rows_of
from runyard.data.batches import explained
from runyard.data.elements import Element, split_element
from runyard.data.elsewhere import DividedDataset
from runyard.data.inputs import InputChoice
from runyard.data.tree import traits_of
from runyard.errors import DataError, ModelError
from runyard.training.coordinator import Coordinator
from runyard.training.devices import Spread
from runyard.training.loop import ManySteps
from runyard.training.losses import Losses, build_losses
from runyard.training.metric_board import MetricBoard, build_board
from runyard.training.outputs import OutputLayout, layout_of, trace_outputs
from runyard.training.pace import Pace
from runyard.training.step import loss_names
from runyard.training.steps_elsewhere import StepsElsewhere
from runyard.training.sums import LossSums
from runyard.training.workers import ALONE, Workers

_ALL = 2**62
_UNFINISHED: list[Any] = []
"""An iterator that is freed while the user's Python runs in it waits for ever: see `cli.app`."""


Watch = Callable[[OutputLayout, Element, Any], None]
"""Is shown every batch and the model's outputs, inside the graph."""


class EmptyDataset(DataError):
    """There is nothing to evaluate, whatever the model is."""


class LeavePass(BaseException):
    """Ends a pass early. It is no failure, so nothing that explains failures may catch it."""


def _go_on() -> None:
    pass


class Evaluation:
    """A model and datasets of one structure. Variables and the graph are made once and used for every pass."""

    def __init__(
        self,
        model: Any,
        *,
        dataset: Any,
        inputs: InputChoice,
        losses: Losses | None,
        board: MetricBoard,
        watch: Watch | None = None,
        workers: Workers = ALONE,
        replicas: int = 1,
    ) -> None:
        self._workers = workers
        self._spread = Spread(replicas)
        self._model = model
        self._dataset = dataset
        self._inputs = inputs
        self._losses = losses
        self._board = board
        self._watch = watch
        self._rows = tf.Variable(tf.constant(0, tf.int64), trainable=False, name="rows")
        self._sums = LossSums(loss_names(losses.names) if losses else [])
        self._run = ManySteps(self._one_batch)
        if isinstance(dataset, DividedDataset):
            assert isinstance(workers, Coordinator), "nobody else divides datasets"
            board.gather_at(workers.here)
            self._run = StepsElsewhere(self._one_batch, coordinator=workers)
        self._pace = Pace()
        self._was_read = False

    @property
    def names(self) -> list[str]:
        return [*self._sums.names, *self._board.names]

    @property
    def specs(self) -> Mapping[str, MetricSpec]:
        """What each metric was made from, by its name."""
        return self._board.specs

    @property
    def traces(self) -> int:
        return self._run.traces

    @property
    def rows(self) -> int:
        """How many there were in the last pass, on this worker."""
        return int(self._rows)

    def __call__(
        self,
        dataset: Any = None,
        *,
        what: str = "dataset",
        batches: int | None = None,
        between_calls: Callable[[], None] = _go_on,
    ) -> dict[str, Any]:
        """Losses and metrics over the dataset, or its first batches.

        Args:
            dataset: another one of the same structure; None for the one that the evaluation was built with.
            what: it is called in messages.
            between_calls: called now and then; may raise `LeavePass` to end the pass, on all workers.

        Raises:
            EmptyDataset: if the dataset is empty.
        """
        self._sums.reset()
        self._board.reset()
        self._rows.assign(0)
        data = self._dataset if dataset is None else dataset
        left = _ALL if batches is None else batches
        if not self._read_together(data, left=left, between_calls=between_calls):
            raise EmptyDataset(
                f"there is nothing to evaluate: the {what} is empty",
                hint="look at file names, filters and dropped remainders",
            )
        return {**self._sums.means(), **self._board.results_of_all(self._workers)}

    def _read_together(self, dataset: Any, *, left: int, between_calls: Callable[[], None]) -> int:
        """Reads what this worker has; how many batches all had. The sums of losses are those of all then."""
        if self._workers.size == 1:
            return self._read(dataset, left=left, between_calls=between_calls)
        batches, leave = 0, False
        try:
            batches = self._read(dataset, left=left, between_calls=between_calls)
        except LeavePass:
            leave = True
        left_by, total, *sums = self._workers.totals([float(leave), batches, *self._sums.numbers()])
        if left_by:
            raise LeavePass
        self._sums.load_numbers(sums)
        return int(total)

    def _read(self, dataset: Any, *, left: int, between_calls: Callable[[], None]) -> int:
        """Reads to the end in calls that do not take long; how many batches there were."""
        iterator: Any = dataset.begin() if isinstance(dataset, DividedDataset) else iter(dataset)
        total, ended = 0, False
        try:
            while total < left and not ended:
                started = time.perf_counter()
                with explained(f"evaluating after batch {total}"):
                    done = self._run(iterator, at_most=min(self._pace.steps, left - total))
                self._pace.learn(steps=done.steps, seconds=time.perf_counter() - started)
                total += done.steps
                ended = done.ended
                if not ended:
                    self._refuse_unreadable()
                    between_calls()
        finally:
            if not ended and not isinstance(dataset, DividedDataset) and traits_of(dataset).python:
                _UNFINISHED.append(iterator)
        return total

    def _refuse_unreadable(self) -> None:
        """A metric that cannot say its value says so after the first batches, not after all of them."""
        if not self._was_read:
            self._board.results()
            self._was_read = True

    def _one_batch(self, batch: Any) -> None:
        element = split_element(batch)
        outputs, regularisation = self._spread(self._forward, element.inputs, joined=_joined)
        if self._losses is not None:
            values = self._losses.unweighted(element.labels, outputs, element.weights)
            weighted = [value * weight for value, weight in zip(values, self._losses.weights, strict=True)]
            single = values if len(values) > 1 else []
            self._sums.add([tf.add_n([*weighted, *regularisation]), *single], rows=rows_of(element.inputs))
        self._board.update(element, outputs)
        self._rows.assign_add(rows_of(element.inputs))
        if self._watch is not None:
            self._watch(self._board.layout, element, outputs)

    def _forward(self, _: int, inputs: Any) -> Any:
        """The outputs, and what is added to the loss."""
        outputs = call_model(self._model, self._inputs.apply(inputs), training=False)
        extra = self._model.losses if keras_version_of(self._model) is not None else ()
        return outputs, [tf.cast(value, tf.float32) for value in extra]


def _joined(found: Sequence[Any]) -> Any:
    """The outputs of all devices; what regularises activities is the mean over them."""
    if len(found) == 1:
        return found[0]
    outputs, extra = zip(*found, strict=True)
    return put_together(outputs), [tf.add_n(values) / len(values) for values in zip(*extra, strict=True)]


@dataclass(frozen=True)
class EvaluationPlan:
    """What an evaluation measures."""

    losses: LossForms | None
    metrics: MetricForms | None
    weighted_metrics: MetricForms | None
    loss_factory: Callable[[Any], object]
    metric_factory: Callable[[Any], object]


def build_evaluation(
    model: Any,
    *,
    dataset: Any,
    inputs: InputChoice,
    plan: EvaluationPlan,
    watch: Watch | None = None,
    workers: Workers = ALONE,
    replicas: int = 1,
) -> tuple[Evaluation, Sequence[str]]:
    """An evaluation, and remarks. Losses that do not fit the model's outputs are left out with a remark.

    Args:
        model: of either Keras, or anything that is called with inputs and gives outputs.
        dataset: in batches.
        workers: each of which has a part of the dataset.
        replicas: among which each batch is divided.
    """
    keras = keras_version_of(model) or chosen_keras()
    element: Element = split_element(dataset.element_spec)
    outputs = trace_outputs(model, inputs.apply(element.inputs))
    layout = layout_of(model, outputs)
    remarks: list[str] = []
    losses = None
    if plan.losses is not None:
        try:
            losses = build_losses(plan.losses, layout=layout, keras=keras, factory=plan.loss_factory)
        except ModelError as error:
            remarks.append(f"no loss is computed here: {error}")
    if losses is not None:
        losses.refuse_missing(element.labels)
    board = build_board(
        plan.metrics,
        plan.weighted_metrics,
        layout=layout,
        labels=element.labels,
        outputs=outputs,
        keras=keras,
        factory=plan.metric_factory,
    )
    evaluation = Evaluation(
        model,
        dataset=dataset,
        inputs=inputs,
        losses=losses,
        board=board,
        watch=watch,
        workers=workers,
        replicas=replicas,
    )
    return evaluation, remarks
