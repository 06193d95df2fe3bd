"""A training step that fails, taken apart: which of losses, metrics and optimizers fail by themselves."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf

from runyard.bridge import KerasVersion, call_model, chosen_keras, keras_version_of
from runyard.config.train_args import TrainArgs
from runyard.data.elements import Element
from runyard.errors import RunyardError
from runyard.runner.job_script import JobScript
from runyard.runner.mismatch import refuse_unfit
from runyard.runner.validated_model import training_inputs
from runyard.training.class_weight import ClassWeight
from runyard.training.groups import group_variables
from runyard.training.optimizers import build_optimizer
from runyard.training.traced_model import trace_model


@contextlib.contextmanager
def refuse_failing_step(script: JobScript, model: Any, *, element: Element, args: TrainArgs) -> Iterator[None]:
    """Turns what Keras or TensorFlow raise while a step is made into an error that names the part to blame.

    Args:
        element: a batch as `tf.TensorSpec`s.
    """
    came = {"x": element.inputs, "y": element.labels, "weight": element.weights}
    with refuse_unfit("a training step fails", came=came, folder=script.folder):
        try:
            yield
        except RunyardError:
            raise
        except Exception as error:
            for problem in parts_to_blame(script, model, element=element, args=args):
                raise problem from error
            raise


def parts_to_blame(script: JobScript, model: Any, *, element: Element, args: TrainArgs) -> list[RunyardError]:
    """What is wrong with each part of a step; nothing if all of them work by themselves.

    Args:
        element: a batch that fits the model, as `tf.TensorSpec`s.
    """
    try:
        suspect = _Suspect(script, model, element=element, args=args)
    except Exception:
        # The model itself fails, which the error of the whole step tells.
        return []
    found: list[RunyardError] = []
    for part in (suspect.losses, suspect.class_weight, suspect.metrics, suspect.optimizers):
        try:
            part()
        except RunyardError as problem:
            found.append(problem)
    return found


class _Suspect:
    """The parts of one step. Each raises what is wrong with it."""

    def __init__(self, script: JobScript, model: Any, *, element: Element, args: TrainArgs) -> None:
        self._script = script
        self._model = model
        self._element = element
        self._args = args
        self._keras: KerasVersion = keras_version_of(model) or chosen_keras()
        self._inputs = training_inputs(args)
        self._traced = trace_model(model, element=element, inputs=self._inputs, keras=self._keras)

    def losses(self) -> None:
        assert self._args.losses is not None, "the job file was checked"
        losses = self._traced.losses(self._args.losses, factory=self._script.loss_factory(self._model))
        self._try("the losses", lambda element, outputs: losses(element.labels, outputs, element.weights))

    def class_weight(self) -> None:
        if self._args.class_weight is not None:
            weight = ClassWeight(self._args.class_weight)
            self._try("class_weight", lambda element, outputs: weight.apply(element.labels, element.weights))

    def metrics(self) -> None:
        factory = self._script.metric_factory(self._model)
        board = self._traced.metrics(self._args.metrics, weighted=self._args.weighted_metrics, factory=factory)
        self._try("the metrics", board.update)

    def optimizers(self) -> None:
        groups = group_variables(
            self._model,
            optimizers=len(self._args.optimizer),
            ungrouped=self._args.ungrouped,
            ask_user=self._script.variable_groups,
        )
        for spec, variables in zip(self._args.optimizer, groups.groups, strict=True):
            build_optimizer(spec, keras=self._keras).build(list(variables))

    def _try(self, name: str, part: Callable[[Element, Any], Any]) -> None:
        """Traces a part as a step does, without running it."""
        element = self._element

        def step(inputs: Any, labels: Any, weights: Any) -> None:
            outputs = call_model(self._model, self._inputs.apply(inputs), training=True)
            part(Element(inputs, labels, weights), outputs)

        came = {"labels": element.labels, "outputs": self._traced.outputs}
        with refuse_unfit(f"the labels do not fit {name}", came=came, folder=self._script.folder):
            tf.function(step, autograph=False).get_concrete_function(element.inputs, element.labels, element.weights)
