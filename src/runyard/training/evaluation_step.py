"""The step of an evaluation: one batch through the model, counted in losses and metrics. Nothing is learned."""

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from runyard.bridge import call_model, keras_version_of
from runyard.data.batch_rows import put_together, rows_of
from runyard.data.elements import Element, split_element
from runyard.data.inputs import InputChoice
from runyard.training.devices import Spread
from runyard.training.losses import Losses
from runyard.training.metric_board import MetricBoard
from runyard.training.outputs import OutputLayout
from runyard.training.step import loss_names
from runyard.training.sums import LossSums

Watch = Callable[[OutputLayout, Element, Any], None]
"""Is shown every batch and the model's outputs, inside the graph."""


class EvaluationStep:
    """Runs inside a `tf.function`. All that it has counted is in variables.

    Args:
        losses: None where they do not fit the model's outputs, or the job has none.
        replicas: devices among which each batch is divided.
    """

    def __init__(
        self,
        model: Any,
        *,
        inputs: InputChoice,
        losses: Losses | None,
        board: MetricBoard,
        watch: Watch | None = None,
        replicas: int = 1,
    ) -> None:
        self._model = model
        self._inputs = inputs
        self._losses = losses
        self._watch = watch
        self._spread = Spread(replicas)
        self.board = board
        self.rows = tf.Variable(tf.constant(0, tf.int64), trainable=False, name="rows")
        self.sums = LossSums(loss_names(losses.names) if losses else [])

    def __call__(self, batch: Any) -> None:
        element = split_element(batch)
        outputs, regularisation = self._spread(self._forward, element.inputs, joined=_joined)
        if self._losses is not None:
            values = self._losses.unweighted(element.labels, outputs, element.weights)
            total = tf.add_n([*self._losses.weighted(values), *regularisation])
            single = values if len(values) > 1 else []
            self.sums.add([total, *single], rows=rows_of(element.inputs))
        self.board.update(element, outputs)
        self.rows.assign_add(rows_of(element.inputs))
        if self._watch is not None:
            self._watch(self.board.layout, element, outputs)

    def reset(self) -> None:
        """Forgets what has been counted."""
        self.sums.reset()
        self.board.reset()
        self.rows.assign(0)

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
