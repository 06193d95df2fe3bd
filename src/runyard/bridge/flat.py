"""Optimizers that may take many variables for one long vector: the same numbers, from far fewer operations."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from runyard.bridge.choice import KerasVersion, keras_module
from runyard.bridge.nadam import is_graph_nadam
from runyard.bridge.variables import tensorflow_variable

_ELEMENT_WISE = ("Adam", "AdamW", "Adamax", "Lion", "Nadam", "SGD")
"""They compute with numbers of a variable only what every processor rounds in the same way (+ - * / sqrt max sign).

RMSprop, Adagrad and Adadelta, which use reciprocal roots, were tried and differ in last bits; Ftrl uses powers and is
left out with them. Others, such as Lamb and Muon, look at a variable as a whole.
"""

_NOT_ELEMENT_WISE = (
    "clipnorm",
    "global_clipnorm",
    "clipvalue",
    "use_ema",
    "loss_scale_factor",
    "gradient_accumulation_steps",
    "jit_compile",
    "_exclude_from_weight_decay",
    "_exclude_from_weight_decay_names",
    "_exclude_from_weight_decay_pattern",
)
"""Arguments that tell variables apart, or keep something for each of them beside slots."""


def can_be_flat(optimizer: Any, *, keras: KerasVersion) -> bool:
    """Whether many variables as one vector take fewer operations, and every bit stays the same.

    That is so if a number's next value depends on that number alone: its gradient, its slots, the rate and the step.
    """
    optimizers = keras_module(keras).optimizers
    known = any(type(optimizer) is getattr(optimizers, name, None) for name in _ELEMENT_WISE)
    plain = not any(getattr(optimizer, name, None) for name in _NOT_ELEMENT_WISE)
    is_one_operation = getattr(optimizer, "momentum", None) == 0
    return plain and (known or is_graph_nadam(optimizer)) and not is_one_operation


def slot_lists(optimizer: Any, variables: Sequence[Any]) -> dict[str, list[Any]]:
    """The slots of a built optimizer by the attribute that lists them, in the order of the variables."""
    shapes = [variable.shape for variable in variables]
    lists = {name: value for name, value in vars(optimizer).items() if isinstance(value, list) and name != "_variables"}
    found = {name: [tensorflow_variable(slot) for slot in value] for name, value in lists.items()}
    own = {id(tensorflow_variable(variable)) for variable in variables}
    return {
        name: slots
        for name, slots in found.items()
        if [getattr(slot, "shape", None) for slot in slots] == shapes and not own & {id(slot) for slot in slots}
    }


@contextlib.contextmanager
def one_variable_more(
    optimizer: Any, variable: Any, *, slots: Mapping[str, Any], keras: KerasVersion
) -> Iterator[None]:
    """Within the block, the optimizer is as if it had been built for `variable`, too, with these slots.

    Args:
        slots: one for each attribute that `slot_lists` found.
    """
    index = "_index_dict" if keras == 2 else "_trainable_variables_indices"
    # Past Keras's own attribute tracking, which would list the slots among the optimizer's variables.
    attributes = vars(optimizer)
    kept = {name: attributes[name] for name in (index, *slots)}
    attributes[index] = {**kept[index], optimizer._var_key(variable): len(kept[index])}
    attributes.update({name: [*kept[name], slot] for name, slot in slots.items()})
    try:
        yield
    finally:
        attributes.update(kept)
