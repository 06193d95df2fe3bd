"""Which optimizer changes which variables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from runyard.bridge import variable_key, variable_name
from runyard.errors import ModelError


@dataclass(frozen=True)
class VariableGroups:
    """The variables of each optimizer, in the order of the optimizers."""

    groups: Sequence[Sequence[Any]]
    remarks: Sequence[str] = ()


def group_variables(
    model: Any,
    *,
    optimizers: int,
    ungrouped: Literal["error", "freeze"],
    ask_user: Callable[[Any], Sequence[Sequence[Any]]],
) -> VariableGroups:
    """All trainable variables for one optimizer; for several, the groups that the user's callback returns.

    Raises:
        ModelError: if the groups do not match the optimizers, repeat or leave out variables, or hold foreign ones.
    """
    trainable = list(model.trainable_variables)
    if not trainable:
        raise ModelError("the model has no trainable variables")
    if optimizers == 1:
        return VariableGroups([trainable])
    groups = ask_user(model)
    if len(groups) != optimizers:
        raise ModelError(f"awf_group_trainable_vars_fn returned {len(groups)} groups for {optimizers} optimizers")
    owner: dict[Any, int] = {}
    known = {variable_key(variable) for variable in trainable}
    for index, group in enumerate(groups):
        if not group:
            raise ModelError(f"group {index} of awf_group_trainable_vars_fn has no variables")
        for variable in group:
            key = variable_key(variable)
            if key not in known:
                raise ModelError(f"group {index} holds {variable_name(variable)}, no trainable variable of the model")
            if key in owner:
                place = f"group {index} twice" if owner[key] == index else f"groups {owner[key]} and {index}"
                raise ModelError(f"{variable_name(variable)} is in {place}")
            owner[key] = index
    left = [variable_name(variable) for variable in trainable if variable_key(variable) not in owner]
    if left and ungrouped == "error":
        raise ModelError(
            f"no group of awf_group_trainable_vars_fn holds {', '.join(left)}",
            hint='add them to a group, or set train_args.ungrouped to "freeze"',
        )
    return VariableGroups(groups, [f"frozen, in no group: {', '.join(left)}"] if left else [])
