"""Which model the validation set is for, and what of it goes into the model."""

from dataclasses import dataclass
from typing import Any

from runyard.bridge import keras_version_of
from runyard.config.train_args import TrainArgs
from runyard.data.inputs import InputChoice
from runyard.data.shapes import summary
from runyard.errors import DataError, RunyardError
from runyard.training.outputs import trace_outputs


@dataclass(frozen=True)
class Validated:
    """The model that is validated, and its inputs."""

    model: Any
    inputs: InputChoice
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


def choose_validated(args: TrainArgs, *, trained: Any, saved: Any, input_spec: Any) -> Validated:
    """The training model if the validation set fits it, else the model that will be saved, if it fits that one.

    Args:
        saved: what `awf_model_to_save_fn` returns.
        input_spec: the inputs of the validation set, as `tf.TensorSpec`s.

    Raises:
        DataError: if the set fits neither.
    """
    inputs = validation_inputs(args)
    spec = inputs.apply(input_spec)
    wanted = args.validation.model
    saved_model = saved[0] if isinstance(saved, tuple) else saved
    candidates = {"train": trained, "saved": saved_model}
    refusals: list[str] = []
    for name, model in candidates.items():
        if wanted not in (None, name) or keras_version_of(model) is None:
            continue
        try:
            trace_outputs(model, spec)
        except RunyardError:
            raise
        except Exception as error:
            refusals.append(f"  the {name} model says: {str(error).strip().splitlines()[0] if str(error) else error!r}")
        else:
            aside = (
                "validation runs on the model of awf_model_to_save_fn"
                if name == "saved" and model is not trained
                else None
            )
            return Validated(model, inputs, aside)
    raise DataError(
        "\n".join([f"the validation set fits no model; its inputs are {summary(spec)}", *refusals]),
        hint="train_args.validation says which model is validated and which inputs it gets",
    )
