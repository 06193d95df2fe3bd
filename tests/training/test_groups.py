from collections.abc import Callable, Sequence
from typing import Any

import pytest

from runyard.bridge import KerasVersion, keras_module
from runyard.errors import ModelError
from runyard.training.groups import group_variables


@pytest.fixture
def model(keras: KerasVersion) -> Any:
    package = keras_module(keras)
    return package.Sequential(
        [package.Input((2,)), package.layers.Dense(3, name="a"), package.layers.Dense(1, name="b")]
    )


def never(model: Any) -> Sequence[Sequence[Any]]:
    raise AssertionError("one optimizer needs no groups")


def test_one_optimizer_has_all_variables(model: Any) -> None:
    (group,) = group_variables(model, optimizers=1, ungrouped="error", ask_user=never).groups
    assert len(group) == 4


def test_several_optimizers_have_the_users_groups(model: Any) -> None:
    grouped = group_variables(
        model, optimizers=2, ungrouped="error", ask_user=lambda m: [m.layers[0].variables, m.layers[1].variables]
    )
    assert [len(group) for group in grouped.groups] == [2, 2]
    assert grouped.remarks == []


def test_variables_in_no_group_can_be_frozen(model: Any) -> None:
    grouped = group_variables(
        model, optimizers=2, ungrouped="freeze", ask_user=lambda m: [m.variables[:1], m.variables[1:3]]
    )
    (remark,) = grouped.remarks
    assert remark.startswith("frozen, in no group: ") and remark.endswith("b/bias")


@pytest.mark.parametrize(
    ("ask_user", "message"),
    [
        (lambda m: [m.variables], "returned 1 groups for 2 optimizers"),
        (lambda m: [m.variables, []], "group 1 .* has no variables"),
        (lambda m: [m.variables[:2], m.variables[1:]], "a/bias is in groups 0 and 1"),
        (lambda m: [[*m.variables[:2], m.variables[0]], m.variables[2:]], "a/kernel is in group 0 twice"),
        (lambda m: [m.variables[:2], m.variables[2:3]], "no group .* holds .*b/bias\n.*freeze"),
    ],
)
def test_groups_that_do_not_fit_are_refused(model: Any, ask_user: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        group_variables(model, optimizers=2, ungrouped="error", ask_user=ask_user)


def test_foreign_variables_are_refused(model: Any, keras: KerasVersion) -> None:
    package = keras_module(keras)
    other = package.Sequential([package.Input((2,)), package.layers.Dense(1, name="foreign")])
    with pytest.raises(ModelError, match=r"group 1 holds .*foreign/kernel, no trainable variable of the model"):
        group_variables(model, optimizers=2, ungrouped="error", ask_user=lambda m: [m.variables, other.variables])


def test_a_model_without_trainable_variables_is_refused(model: Any) -> None:
    model.trainable = False
    with pytest.raises(ModelError, match="no trainable variables"):
        group_variables(model, optimizers=1, ungrouped="error", ask_user=never)
