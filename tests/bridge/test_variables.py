from typing import Any

import pytest

from runyard.bridge import KerasVersion, keras_module, tensorflow_variable, variable_key, variable_name


@pytest.fixture
def variables(keras: KerasVersion) -> list[Any]:
    package = keras_module(keras)
    return package.Sequential([package.Input((2,)), package.layers.Dense(1, name="score")]).variables


def test_keys_tell_variables_apart(variables: list[Any]) -> None:
    kernel, bias = variables
    assert {variable_key(kernel): "kernel", variable_key(bias): "bias"}[variable_key(kernel)] == "kernel"


def test_names_are_for_people(variables: list[Any]) -> None:
    assert [variable_name(variable).endswith(("score/kernel", "score/bias")) for variable in variables] == [True, True]
    assert ":" not in variable_name(variables[0])


def test_inside_is_a_tensorflow_variable(variables: list[Any], tensorflow: Any) -> None:
    inner = tensorflow_variable(variables[0])
    assert isinstance(inner, tensorflow.Variable)
    inner.assign([[1.0], [2.0]])
    assert variables[0].numpy().tolist() == [[1.0], [2.0]]
