"""The training step: one batch, everything that happens to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from runyard.data.batch_rows import rows_of
from runyard.data.elements import Element, split_element
from runyard.training.backward import Backward, BackwardPass
from runyard.training.class_weight import ClassWeight
from runyard.training.metric_board import MetricBoard
from runyard.training.replicated import ReplicatedPass
from runyard.training.sums import LossSums
from runyard.training.update import Update


@dataclass(frozen=True, eq=False, repr=False)
class TrainingStep:
    """Runs inside a `tf.function`. All that it remembers is in variables."""

    backward: BackwardPass | ReplicatedPass
    update: Update
    board: MetricBoard
    sums: LossSums
    counter: Any
    """A variable: how many steps there have been."""
    class_weight: ClassWeight | None = None
    jit_compile: bool = False

    def __call__(self, batch: Any) -> None:
        result, rows = self.look_at(batch)
        self.update.look_at_graph()
        self.learn(result, rows=rows)

    def look_at(self, batch: Any) -> tuple[Backward, Any]:
        """What a batch gives, and its rows. It is counted in the metrics; nothing is learned from it yet."""
        element = self._weighted(split_element(batch))
        result = self._differentiate(element)
        self.board.update(element, result.outputs)
        return result, rows_of(element.inputs)

    def learn(self, result: Backward, *, rows: Any) -> None:
        """Changes the weights. `update.look_at_graph` must have been called where the batch was looked at."""
        self.sums.add([result.total, *self._single_losses(result)], rows=rows)
        self.update(result, step=self.counter, rows=rows)
        self.counter.assign_add(1)

    def _single_losses(self, result: Backward) -> Sequence[Any]:
        """Several outputs are logged one by one, too, as Keras does."""
        return result.losses if len(result.losses) > 1 else ()

    def _weighted(self, element: Element) -> Element:
        if self.class_weight is None:
            return element
        return Element(element.inputs, element.labels, self.class_weight.apply(element.labels, element.weights))

    def _differentiate(self, element: Element) -> Backward:
        if not self.jit_compile:
            return self.backward(element)
        results: list[Backward] = []

        def compiled(inputs: Any, labels: Any, weights: Any) -> Any:
            result = self.backward(Element(inputs, labels, weights))
            results.append(result)
            return result.outputs, result.total, list(result.losses), [list(task) for task in result.tasks]

        function = tf.function(compiled, jit_compile=True, autograph=False)
        outputs, total, losses, tasks = function(element.inputs, element.labels, element.weights)
        return Backward(outputs, total, losses, tasks, regularised=results[-1].regularised)


def loss_names(outputs: Sequence[str]) -> list[str]:
    """`loss`, and `<output>_loss` for each when there are several."""
    return ["loss", *(f"{name}_loss" for name in outputs if len(outputs) > 1)]
