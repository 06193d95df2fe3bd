"""Losses from their specs, each at its output."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from runyard.bridge import KerasVersion, autograph_on, averaging_in_replicas, is_loss, keras_module
from runyard.config import LossSpec
from runyard.config.known_names import Kind, find
from runyard.config.written_forms import LossForms
from runyard.errors import DataError, ModelError
from runyard.training.alignment import align
from runyard.training.constructors import construct, constructing
from runyard.training.outputs import OutputLayout
from runyard.training.own_losses import OWN_LOSSES

Factory = Callable[[LossSpec], object]
"""Calls the user's own factory for a loss that Runyard and Keras do not know."""


@dataclass(frozen=True)
class OutputLoss:
    """The loss of one output and its share of the whole.

    Args:
        unlabelled: what is called where there are no labels; None if the loss needs them.
    """

    output: str
    function: Any
    weight: float
    unlabelled: Any = None


@dataclass(frozen=True)
class Losses:
    """What is minimised, output by output."""

    layout: OutputLayout
    by_output: Sequence[OutputLoss | None]
    keras: KerasVersion
    remarks: Sequence[str] = ()

    def __call__(self, labels: Any, outputs: Any, weights: Any) -> list[Any]:
        """The loss of each output that has one, times its weight, as Keras averages it over the batch."""
        return self.weighted(self.unweighted(labels, outputs, weights))

    @property
    def names(self) -> list[str]:
        """The outputs that have a loss."""
        return [loss.output for loss in self.by_output if loss is not None]

    def weighted(self, values: Sequence[Any]) -> list[Any]:
        """The values of `unweighted`, each times the weight of its loss."""
        weights = [loss.weight for loss in self.by_output if loss is not None]
        return [value * weight for value, weight in zip(values, weights, strict=True)]

    def refuse_missing(self, labels: Any) -> None:
        """Finds out before a training whether there are labels for every loss that needs them.

        Raises:
            DataError: if not.
        """
        for loss, label in zip(self.by_output, self.layout.spread(labels, what="labels"), strict=True):
            if loss is None or label is not None or loss.unlabelled is not None:
                continue
            if labels is None:
                raise DataError(
                    "an element of the dataset has no labels, expected (x, y) or (x, y, weight): "
                    f"the loss of output {loss.output!r} needs them",
                    hint="bpr and pair_hinge need none, nor does a function of the script that ignores y_true",
                )
            raise DataError(f"output {loss.output!r} has a loss but no label")

    def unweighted(self, labels: Any, outputs: Any, weights: Any) -> list[Any]:
        """The loss of each output as it is logged: without its weight."""
        self.refuse_missing(labels)
        values: list[Any] = []
        columns = zip(
            self.by_output,
            self.layout.flatten(outputs),
            self.layout.spread(labels, what="labels"),
            self.layout.spread(weights, what="weights"),
            strict=True,
        )
        for loss, output, label, weight in columns:
            if loss is None:
                continue
            function = loss.function if label is not None else loss.unlabelled
            # Keras wants something in the place of labels, even for a loss that does not look at them.
            label = tf.zeros_like(output) if label is None else label
            label, weight = align(label, output, weight, keras=self.keras)
            with autograph_on():
                value = function(label, output, sample_weight=weight)
            # A loss that the user left unreduced is averaged here.
            values.append(tf.reduce_mean(tf.cast(value, tf.float32)))
        return values


def build_losses(forms: LossForms, *, layout: OutputLayout, keras: KerasVersion, factory: Factory) -> Losses:
    """Losses for a model's outputs: one for all, one for each, or by name.

    Raises:
        ModelError: if there are more losses than outputs, or a name that no output has.
    """
    if forms.by_output is not None:
        specs = _by_name(forms.by_output, layout=layout)
        return Losses(layout, _build_all(specs, layout=layout, keras=keras, factory=factory), keras)
    listed: Sequence[LossSpec] = forms.in_order or ()
    count = len(layout.names)
    if len(listed) > count:
        raise ModelError(f"there are {len(listed)} losses for {count} outputs {list(layout.names)}")
    remarks: list[str] = []
    if len(listed) == 1:
        listed = list(listed) * count
    elif len(listed) < count:
        remarks.append(f"outputs without a loss, left out of training: {', '.join(layout.names[len(listed) :])}")
    padded: list[LossSpec | None] = [*listed, *[None] * (count - len(listed))]
    return Losses(layout, _build_all(padded, layout=layout, keras=keras, factory=factory), keras, remarks)


def _by_name(specs: dict[str, LossSpec], *, layout: OutputLayout) -> list[LossSpec | None]:
    unknown = [name for name in specs if name not in layout.names]
    if unknown:
        raise ModelError(f"losses name the outputs {unknown}, but the outputs are {list(layout.names)}")
    return [specs.get(name) for name in layout.names]


def _build_all(
    specs: Sequence[LossSpec | None], *, layout: OutputLayout, keras: KerasVersion, factory: Factory
) -> list[OutputLoss | None]:
    return [
        None if spec is None else _build(spec, output=name, keras=keras, factory=factory)
        for name, spec in zip(layout.names, specs, strict=True)
    ]


def _build(spec: LossSpec, *, output: str, keras: KerasVersion, factory: Factory) -> OutputLoss:
    known = find(Kind.LOSS, spec.type)
    if known is None:
        return _users_loss(output, factory(spec), spec=spec, keras=keras)
    if known.own:
        with constructing(known, arguments=spec.args):
            function = averaging_in_replicas(OWN_LOSSES[known.class_name](keras, **spec.args))
        return OutputLoss(output, function, spec.weight, unlabelled=function)
    function = construct(known, namespace="losses", keras=keras, arguments=spec.args)
    return OutputLoss(output, averaging_in_replicas(function), spec.weight)


def _users_loss(output: str, made: object, *, spec: LossSpec, keras: KerasVersion) -> OutputLoss:
    """What a user's factory returned: a loss of either Keras, or a function of y_true and y_pred."""
    if is_loss(made):
        return OutputLoss(output, averaging_in_replicas(made), spec.weight)
    if not callable(made) or isinstance(made, type):
        returned = f"the class {made.__name__}" if isinstance(made, type) else type(made).__name__
        raise ModelError(f"the loss factory {spec.type} returned {returned}, expected a Keras loss or a function")

    class UserLoss(keras_module(keras).losses.Loss):
        def call(self, y_true: Any, y_pred: Any) -> Any:
            return made(y_true, y_pred)

    class UnlabelledUserLoss(keras_module(keras).losses.Loss):
        def call(self, y_true: Any, y_pred: Any) -> Any:
            return made(None, y_pred)

    functions = [averaging_in_replicas(kind(name=spec.type)) for kind in (UserLoss, UnlabelledUserLoss)]
    return OutputLoss(output, functions[0], spec.weight, unlabelled=functions[1])
