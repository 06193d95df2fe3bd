"""`continue_training`: a new run that starts from the weights and the optimizers of an earlier one."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runyard.bridge import keras_version_of, tensorflow_variable, variable_name
from runyard.checkpoint.state import Snapshot
from runyard.data.elements import split_element
from runyard.errors import ModelError
from runyard.models import ExportedModel, load_model
from runyard.models.training_state import read_training_state
from runyard.runner.carried_state import (
    carried_weights,
    learn_from_chief,
    restore_loss_scale,
    restore_optimizers,
    restore_randomness,
)
from runyard.runner.job_script import JobScript
from runyard.runner.mismatch import expected_inputs, refuse_unfit
from runyard.runner.plan import Plan
from runyard.runner.validated_model import training_inputs
from runyard.telemetry import note, say
from runyard.training.engine import Engine
from runyard.training.outputs import trace_outputs

_MOST_LISTED = 3


@dataclass(frozen=True)
class StartingPoint:
    """The model that a run trains, and what goes into it before the first step.

    Args:
        model: of `awf_create_model_fn`, or the earlier one itself.
        path: of the earlier model; None for a run that starts from nothing.
        weights: values for the model's weights, in their order; empty to leave them as they are.
        state: what the earlier run left to go on from; None if nothing.
        sought: where an earlier model was looked for, if it was.
    """

    model: Any
    path: Path | None = None
    weights: Sequence[Any] = ()
    state: Snapshot | None = None
    sought: Path | None = None

    def apply(self, engine: Engine) -> None:
        """Only for a run that begins: one that has a checkpoint goes on from that."""
        if self.path is not None:
            self._bring_back(engine)
        sought = self.path or self.sought
        if sought is not None:
            learn_from_chief(engine, path=sought)

    def _bring_back(self, engine: Engine) -> None:
        if self.weights:
            for variable, value in zip(engine.model.weights, self.weights, strict=True):
                tensorflow_variable(variable).assign(value)
        if engine.update.average is not None:
            engine.update.average.start()
        told = restore_optimizers(engine, state=self.state)
        if self.state is not None:
            restore_randomness(engine, state=self.state)
            restore_loss_scale(engine, state=self.state)
        say(f"The training starts from the model in {self.path}, {told}.")


def starting_point(script: JobScript, *, plan: Plan, new: Any, dataset: Any) -> StartingPoint:
    """Where a run of the job starts: from a new model, unless it says `continue_training` and there is an earlier one.

    The weights of the earlier one go into the new model where they fit. Where they do not, or the script has a loader,
    the earlier model itself is trained.

    Args:
        new: the model of `awf_create_model_fn`.
        dataset: the training set in batches.

    Raises:
        ModelError: if the earlier model cannot be trained.
    """
    arguments = plan.job.job_detail.model_args
    if not arguments.get("continue_training"):
        return StartingPoint(new)
    path = plan.paths.in_data(arguments.get("continue_training_model_path") or plan.train_args.save_path)
    if not path.exists():
        say(f"There is no model at {path} yet: the training starts from a new one.")
        return StartingPoint(new, sought=path)
    state = read_training_state(path)
    if script.loads_models:
        loaded = script.load_model(str(path), name=str(arguments.get("name") or ""), purpose="train")
        if loaded is not None:
            return StartingPoint(_trainable(loaded, path=path), path, state=state)
        note(f"awf_load_model_fn returned None for {path}: the training starts from a new model")
        return StartingPoint(new, sought=path)
    _build(new, script=script, plan=plan, dataset=dataset)
    expected = [_kind(variable_name(variable), tensorflow_variable(variable)) for variable in new.weights]
    if state is not None:
        weights = carried_weights(state)
        if [_kind(name, value) for name, value in weights.items()] == expected:
            return StartingPoint(new, path, list(weights.values()), state)
    loaded = _trainable(load_model(path, classes=script.classes), path=path)
    found = [_kind(variable_name(variable), tensorflow_variable(variable)) for variable in loaded.weights]
    if found == expected:
        return StartingPoint(new, path, [tensorflow_variable(variable) for variable in loaded.weights], state)
    note(
        f"the model in {path} is not the one that awf_create_model_fn makes, and is trained as it is: "
        f"{_difference(found, expected)}"
    )
    return StartingPoint(loaded, path, state=state)


def _build(model: Any, *, script: JobScript, plan: Plan, dataset: Any) -> None:
    """Models of a class of their own have no weights before the first call."""
    inputs = training_inputs(plan.train_args).apply(split_element(dataset.element_spec).inputs)
    message = f"the training set does not fit the model {model.name!r}"
    folder = script.folder
    with refuse_unfit(message, came=inputs, folder=folder, expected=expected_inputs(model)):
        trace_outputs(model, inputs)


def _trainable(model: Any, *, path: Path) -> Any:
    if isinstance(model, ExportedModel) or keras_version_of(model) is None:
        raise ModelError(
            f"the model in {path} cannot be trained: only its graph is there, not its layers",
            hint="name a model that Runyard or Keras has saved whole, or load it in awf_load_model_fn",
        )
    return model


def _kind(name: str, value: Any) -> tuple[str, tuple[int, ...], str]:
    """What makes weights exchangeable. Names of layers may differ, as they count the layers of a process."""
    return name.rpartition("/")[2], tuple(value.shape), value.dtype.name


def _difference(found: Sequence[Any], expected: Sequence[Any]) -> str:
    if len(found) != len(expected):
        return f"it has {len(found)} weights instead of {len(expected)}"
    pairs = [(one, other) for one, other in zip(found, expected, strict=True) if one != other]
    shown = [f"{one[0]} {one[1]} instead of {other[0]} {other[1]}" for one, other in pairs[:_MOST_LISTED]]
    return ", ".join([*shown, *(["..."] if len(pairs) > _MOST_LISTED else [])])
