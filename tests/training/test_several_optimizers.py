"""Several optimizers, each with variables of its own."""

from collections.abc import Sequence
from typing import Any

from runyard.bridge import KerasVersion
from tests.training.trainings import X, Y, rows, same_bits, small_model, trained, weights_of

STILL = {"type": "sgd", "args": {"learning_rate": 0.0}}


def by_layer(model: Any) -> Sequence[Sequence[Any]]:
    variables = list(model.trainable_variables)
    return [variables[2:], variables[:2]]


def test_each_changes_its_own_variables_only(keras: KerasVersion) -> None:
    model = small_model(keras)
    before = weights_of(model)
    after = trained(model, rows(X, Y), optimizer=["adam", STILL], groups=by_layer)
    assert same_bits(before[:2], after[:2])
    assert all((one != other).any() for one, other in zip(before[2:], after[2:], strict=True))


def test_two_of_a_kind_are_as_good_as_one(keras: KerasVersion) -> None:
    together = trained(small_model(keras), rows(X, Y), optimizer="sgd")
    assert same_bits(trained(small_model(keras), rows(X, Y), optimizer=["sgd", "sgd"], groups=by_layer), together)


def test_variables_in_no_group_can_be_frozen(keras: KerasVersion) -> None:
    model = small_model(keras)
    before = weights_of(model)
    groups = [model.trainable_variables[:1], model.trainable_variables[1:2]]
    after = trained(model, rows(X, Y), optimizer=["adam", "sgd"], groups=lambda _: groups, ungrouped="freeze")
    assert same_bits(before[2:], after[2:])
    assert not same_bits(before[:2], after[:2])


def test_clipping_looks_at_all_groups_together(keras: KerasVersion) -> None:
    gradient = {"global_clip_norm": 0.01}
    together = trained(small_model(keras), rows(X, Y), optimizer="sgd", gradient=gradient)
    apart = trained(small_model(keras), rows(X, Y), optimizer=["sgd", "sgd"], groups=by_layer, gradient=gradient)
    assert all(abs(one - other).max() < 1e-7 for one, other in zip(together, apart, strict=True))
