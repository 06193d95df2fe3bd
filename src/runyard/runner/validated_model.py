"""Which model a validation set is for, and what of the set goes into the model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from runyard.config.train_args import TrainArgs
from runyard.data.inputs import InputChoice
from runyard.data.shapes import summary
from runyard.errors import DataError, RunyardError
from runyard.models.to_save import ModelToSave
from runyard.training.outputs import trace_outputs


@dataclass(frozen=True)
class Validated:
    """The model that is validated, and its inputs.

    Args:
        place: among the models of `awf_model_to_save_fn`; None for the training model.
        input_spec: what it is called with, as `tf.TensorSpec`s.
    """

    model: Any
    inputs: InputChoice
    input_spec: Any
    place: int | None = None
    remark: str | None = None


def training_inputs(args: TrainArgs) -> InputChoice:
    return InputChoice(args.model_call_exclude_input_index or (), args.input_squeeze)


def validation_inputs(args: TrainArgs) -> InputChoice:
    """As for training, unless `train_args.validation` says otherwise."""
    own = args.validation
    exclude = own.model_call_exclude_input_index
    squeeze = own.input_squeeze
    return InputChoice(
        exclude if exclude is not None else args.model_call_exclude_input_index or (),
        squeeze if squeeze is not None else args.input_squeeze,
    )


def choose_validated(args: TrainArgs, *, trained: Any, saved: Sequence[ModelToSave], input_spec: Any) -> Validated:
    """The training model if the validation set fits it, else the first of the models to save that it fits.

    Args:
        saved: what `awf_model_to_save_fn` chooses.
        input_spec: the inputs of the validation set, as `tf.TensorSpec`s.

    Raises:
        DataError: if the set fits none of them.
    """
    inputs = validation_inputs(args)
    spec = inputs.apply(input_spec)
    refusals: list[str] = []
    for candidate in _candidates(args.validation.model, trained=trained, saved=saved):
        try:
            trace_outputs(candidate.model, spec)
        except RunyardError:
            raise
        except Exception as error:
            refusals.append(f"  {candidate.name} says: {str(error).strip().splitlines()[0] if str(error) else error!r}")
        else:
            return Validated(candidate.model, inputs, spec, candidate.place, candidate.remark)
    raise DataError(
        "\n".join([f"the validation set fits no model; its inputs are {summary(spec)}", *refusals]),
        hint="train_args.validation says which model is validated and which inputs it gets",
    )


@dataclass(frozen=True)
class _Candidate:
    name: str
    model: Any
    place: int | None = None
    remark: str | None = None


def _candidates(wanted: str | None, *, trained: Any, saved: Sequence[ModelToSave]) -> Iterator[_Candidate]:
    if wanted != "saved":
        yield _Candidate("the train model", trained)
    if wanted == "train":
        return
    for place, one in enumerate(saved):
        if one.model is not trained:
            which = f" {one.name!r}" if len(saved) > 1 else ""
            remark = f"validation runs on the model{which} of awf_model_to_save_fn"
            yield _Candidate(f"the saved model{which}", one.model, place, remark)
        elif wanted == "saved":
            yield _Candidate("the saved model, which is the train model,", trained)
