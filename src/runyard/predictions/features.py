"""From an element of the dataset to what the model is given, and to the row's id."""

from dataclasses import dataclass, replace
from typing import Any

from runyard.config.eval_args import PredictArgs
from runyard.data.elements import split_element
from runyard.data.inputs import InputChoice
from runyard.data.shapes import summary
from runyard.errors import DataError
from runyard.predictions.row_ids import RowIds, find_row_ids


@dataclass(frozen=True)
class Features:
    """How elements are taken apart."""

    row_ids: RowIds | None
    choice: InputChoice

    def inputs(self, element: Any) -> Any:
        """All inputs of an element."""
        return split_element(element).inputs

    def for_model(self, inputs: Any) -> Any:
        return self.choice.apply(inputs)


def features_of(element: Any, *, args: PredictArgs) -> Features:
    """Reads off an element's spec how elements are taken apart.

    Raises:
        DataError: if it has labels, or no input of the name in `row_id_col`.
    """
    parts = split_element(element)
    if parts.labels is not None or parts.weights is not None:
        came = ", ".join(f"{name}: {summary(part)}" for name, part in (("x", parts.inputs), ("y", parts.labels)))
        raise DataError(
            f"the dataset to predict has labels, expected inputs only; came: {came}",
            hint="awf_create_predict_dataset_fn returns x alone, as with .map(lambda x, y: x); "
            "several inputs are a dict, or a tuple in a tuple: ((a, b),)",
        )
    row_ids = find_row_ids(parts.inputs, row_id_col=args.row_id_col)
    choice = InputChoice(tuple(args.model_call_exclude_input_index or ()), args.input_squeeze)
    if row_ids is not None and args.input_exclude_row_id and row_ids.key not in choice.exclude:
        # What is left of a tuple of two is the model's one input, not a tuple of one.
        alone = isinstance(parts.inputs, tuple | list) and len(parts.inputs) - len(choice.exclude) == 2
        choice = replace(choice, exclude=(*choice.exclude, row_ids.key), squeeze=choice.squeeze or alone)
    return Features(row_ids, choice)
