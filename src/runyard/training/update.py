"""From gradients to changed weights: unscale, test, PCGrad, accumulate, clip, apply, average."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import tensorflow as tf

from runyard.bridge import KerasVersion, apply_gradients, tensorflow_variable
from runyard.config.train_args import Gradient
from runyard.training.accumulation import Accumulation
from runyard.training.average import WeightAverage
from runyard.training.backward import Backward
from runyard.training.clipping import clip
from runyard.training.flat_group import FlatGroup
from runyard.training.loss_scale import LossScale, all_finite
from runyard.training.pcgrad import project_conflicts


@dataclass(frozen=True, eq=False, repr=False)
class Update:
    """Changes the variables of one or several optimizers."""

    optimizers: Sequence[Any]
    groups: Sequence[Sequence[Any]]
    flat_groups: Sequence[FlatGroup]
    keras: KerasVersion
    config: Gradient
    seed: int
    pcgrad: bool = False
    loss_scale: LossScale | None = None
    accumulation: Accumulation | None = None
    average: WeightAverage | None = None
    stop_on_nan: bool = False
    finite: Any = field(default=None)
    """A variable that becomes False when a loss or gradient is not finite and the training must end."""
    turns: Any = None
    """A `tf.CriticalSection` where several processes add to the same accumulated gradients."""

    def begin_call(self) -> None:
        """Before the first of many steps. The step itself must have been traced before."""
        for flat in self.flat_groups:
            flat.begin_call()

    def end_call(self) -> None:
        """After the last of many steps: the optimizers' own variables hold everything again."""
        for flat in self.flat_groups:
            flat.end_call()

    def look_at_graph(self) -> None:
        """Must be called in the graph of the step, after the model and before the update.

        A variable that a layer changes by itself is known by then, and left out of the flat groups.
        """
        for flat in self.flat_groups:
            flat.look_at_graph()

    def __call__(self, backward: Backward, *, step: Any, rows: Any) -> None:
        gradients = self._combined(backward, step=step)
        if self.stop_on_nan:
            good = tf.math.is_finite(backward.total)
            if self.loss_scale is None:
                good = tf.logical_and(good, all_finite(gradients))
            tf.cond(good, lambda: self._apply(gradients, rows=rows), self._mark_infinite)
        else:
            self._apply(gradients, rows=rows)

    def flush(self) -> None:
        """Applies what has been accumulated so far: the last, smaller group of batches of an epoch."""
        if self.accumulation is not None:
            take = self.accumulation.take
            tf.cond(self.accumulation.pending, lambda: self._change(take(), in_call=False), _nothing)

    @property
    def own_variables(self) -> list[Any]:
        """What it remembers beside the optimizers' own variables, for checkpoints."""
        parts = (self.loss_scale, self.accumulation, self.average)
        return [variable for part in parts if part is not None for variable in part.variables]

    def _combined(self, backward: Backward, *, step: Any) -> list[Any]:
        if not self.pcgrad:
            return self._unscaled(backward.tasks[0])
        unscaled = [self._unscaled(gradients) for gradients in backward.tasks]
        tasks = [self._dense(gradients) for gradients in unscaled]
        regularisation = tasks.pop() if backward.regularised else None
        combined = project_conflicts(tasks, seed=self.seed, step=step)
        if regularisation is not None:
            combined = [gradient + extra for gradient, extra in zip(combined, regularisation, strict=True)]
        unused = [all(gradient is None for gradient in column) for column in zip(*unscaled, strict=True)]
        return [None if nowhere else gradient for gradient, nowhere in zip(combined, unused, strict=True)]

    def _unscaled(self, gradients: Sequence[Any]) -> list[Any]:
        return self.loss_scale.unscale(list(gradients)) if self.loss_scale is not None else list(gradients)

    def _dense(self, gradients: Sequence[Any]) -> list[Any]:
        variables = [tensorflow_variable(variable) for group in self.groups for variable in group]
        return [
            tf.zeros_like(variable) if gradient is None else tf.convert_to_tensor(gradient)
            for gradient, variable in zip(gradients, variables, strict=True)
        ]

    def _apply(self, gradients: list[Any], *, rows: Any) -> Any:
        """Changes the weights; with half precision only if all gradients are finite."""
        if self.loss_scale is None:
            return self._accumulate_or_change(gradients, rows=rows)
        good = all_finite(gradients)
        self.loss_scale.learn(good)
        return tf.cond(good, lambda: self._accumulate_or_change(gradients, rows=rows), _nothing)

    def _accumulate_or_change(self, gradients: list[Any], *, rows: Any) -> Any:
        if self.accumulation is None:
            return self._change(gradients)
        if self.turns is not None:
            return self.turns.execute(lambda: self._accumulate(gradients, rows=rows), exclusive_resource_access=False)
        return self._accumulate(gradients, rows=rows)

    def _accumulate(self, gradients: list[Any], *, rows: Any) -> Any:
        """Adds to what has been accumulated, and changes the weights when that is enough."""
        assert self.accumulation is not None
        take = self.accumulation.take
        self.accumulation.add(gradients, rows=rows)
        return tf.cond(self.accumulation.full, lambda: self._change(take()), _nothing)

    def _mark_infinite(self) -> Any:
        self.finite.assign(False)
        return _nothing()

    def _change(self, gradients: list[Any], *, in_call: bool = True) -> Any:
        """Clips the gradients and gives each optimizer those of its variables.

        Args:
            in_call: whether this is between `begin_call` and `end_call`, where small variables are one vector.
        """
        left = clip(gradients, config=self.config)
        for optimizer, group, flat in zip(self.optimizers, self.groups, self.flat_groups, strict=True):
            mine, left = left[: len(group)], left[len(group) :]
            if in_call:
                flat.apply(mine)
            else:
                apply_gradients(optimizer, mine, group, keras=self.keras)
        if self.average is not None:
            self.average.update()
        return _nothing()


def _nothing() -> Any:
    """Both branches of a `tf.cond` must return something."""
    return tf.constant(0)
