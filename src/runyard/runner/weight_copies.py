"""Models of `awf_model_to_save_fn` that have weights of their own: copies, which training does not change."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from runyard.bridge import tensorflow_variable, variable_key
from runyard.errors import ScriptError
from runyard.runner.validated_model import Validated
from runyard.script.contract import MODEL_TO_SAVE
from runyard.training.outputs import trace_outputs

REMARK = f"{MODEL_TO_SAVE.name} returns a model with weights of its own, so it is called anew before each validation"


def refreshing(
    validated: Iterable[Validated], *, trained: Any, saved_models: Callable[[], Sequence[Any]]
) -> Callable[[], None] | None:
    """What brings validated models up to date before a validation; None if all of them share the trained weights.

    Without it, a copy would be validated with the weights that it got before the first step.

    Args:
        saved_models: calls the callback with the trained model as it is now.
    """
    trained_keys = {_key(variable) for variable in trained.weights}
    copies = [
        (each, own)
        for each in validated
        if each.place is not None
        and (own := [place for place, variable in enumerate(each.model.weights) if _key(variable) not in trained_keys])
    ]
    if not copies:
        return None

    def refresh() -> None:
        anew = saved_models()
        for each, own in copies:
            assert each.place is not None
            newest = anew[each.place] if each.place < len(anew) else None
            _copy(newest, each, places=own)

    return refresh


def _copy(newest: Any, validated: Validated, *, places: Sequence[int]) -> None:
    if newest is validated.model:
        return
    if newest is not None and len(newest.weights) != len(validated.model.weights):
        # A subclassed model has no variables before its first call.
        trace_outputs(newest, validated.input_spec)
    if newest is None or [weight.shape for weight in newest.weights] != [
        weight.shape for weight in validated.model.weights
    ]:
        raise ScriptError(
            f"{MODEL_TO_SAVE.name} returned a model with other weights than before the training, "
            "so it cannot be validated",
            hint='validate the training model with train_args.validation: {"model": "train"}',
        )
    for place in places:
        new, old = newest.weights[place], validated.model.weights[place]
        tensorflow_variable(old).assign(tensorflow_variable(new))


def _key(variable: Any) -> Any:
    return variable_key(tensorflow_variable(variable))
