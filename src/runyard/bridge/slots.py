"""What an optimizer remembers for each variable, in either Keras."""

from typing import Any

from runyard.bridge.choice import KerasVersion, keras_module


def new_slot(optimizer: Any, variable: Any, *, name: str, value: float, keras: KerasVersion) -> Any:
    """A variable of the optimizer, of the shape of `variable`, filled with `value`."""
    initializer = keras_module(keras).initializers.Constant(value)
    if keras == 2:
        start = initializer(variable.shape, dtype=variable.dtype)
        return optimizer.add_variable_from_reference(variable, name, initial_value=start)
    return optimizer.add_variable_from_reference(variable, name=name, initializer=initializer)


def slot_index(optimizer: Any, variable: Any, *, keras: KerasVersion) -> int:
    """The place of a variable among those that the optimizer was built for; in `update_step`, of a replica's copy."""
    if keras == 2:
        return optimizer._index_dict[optimizer._var_key(variable)]
    return optimizer._get_variable_index(variable)
