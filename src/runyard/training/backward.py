"""One batch forward and backward: outputs, losses and gradients. Nothing is changed by it but layers' own state."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from runyard.bridge import call_model, tensorflow_variable
from runyard.data.elements import Element
from runyard.data.inputs import InputChoice
from runyard.training.loss_scale import LossScale
from runyard.training.losses import Losses


@dataclass(frozen=True)
class Backward:
    """What a batch gave.

    Args:
        outputs: of the model.
        total: what is minimised: all weighted losses and the regularisation.
        losses: of each output, without their weights.
        tasks: gradients: one list over all variables, or one for each output when the tasks are kept apart; then the
            last list is that of the regularisation, if there is any.
    """

    outputs: Any
    total: Any
    losses: Sequence[Any]
    tasks: Sequence[Sequence[Any]]
    regularised: bool


@dataclass(frozen=True, eq=False, repr=False)
class BackwardPass:
    """Differentiates a model's losses."""

    model: Any
    inputs: InputChoice
    losses: Losses
    variables: Sequence[Any]
    keep_tasks_apart: bool = False
    loss_scale: LossScale | None = None

    def __call__(self, element: Element) -> Backward:
        with tf.GradientTape(persistent=self.keep_tasks_apart) as tape:
            outputs = call_model(self.model, self.inputs.apply(element.inputs), training=True)
            values = self.losses.unweighted(element.labels, outputs, element.weights)
            weighted = self.losses.weighted(values)
            extra = [tf.cast(value, tf.float32) for value in self.model.losses]
            total = tf.add_n([*weighted, *extra])
            targets = [*weighted, *([tf.add_n(extra)] if extra else [])] if self.keep_tasks_apart else [total]
            if self.loss_scale is not None:
                targets = [self.loss_scale.scale(target) for target in targets]
        watched = [tensorflow_variable(variable) for variable in self.variables]
        tasks = [tape.gradient(target, watched) for target in targets]
        return Backward(outputs, total, values, tasks, regularised=self.keep_tasks_apart and bool(extra))
