from typing import Any

import pytest

from runyard.bridge import KerasVersion, can_be_flat, graph_nadam, keras_module, one_variable_more, slot_lists

FLAT = [
    ("Adam", {}),
    ("Adam", {"amsgrad": True, "weight_decay": 0.1}),
    ("AdamW", {}),
    ("Adamax", {}),
    ("Lion", {}),
    ("SGD", {"momentum": 0.9}),
]
NOT_FLAT = [
    ("SGD", {}),
    ("RMSprop", {}),
    ("Adagrad", {}),
    ("Adadelta", {}),
    ("Ftrl", {}),
    ("Adafactor", {}),
    ("Adam", {"clipnorm": 1.0}),
    ("Adam", {"clipvalue": 1.0}),
    ("Adam", {"global_clipnorm": 1.0}),
    ("Adam", {"use_ema": True}),
]


def optimizer_of(name: str, keras: KerasVersion, **arguments: Any) -> Any:
    return getattr(keras_module(keras).optimizers, name)(**arguments)


@pytest.mark.parametrize(("name", "arguments"), FLAT)
def test_optimizers_that_can_be_flat(name: str, arguments: dict[str, Any], keras: KerasVersion) -> None:
    assert can_be_flat(optimizer_of(name, keras, **arguments), keras=keras)


@pytest.mark.parametrize(("name", "arguments"), NOT_FLAT)
def test_optimizers_that_cannot(name: str, arguments: dict[str, Any], keras: KerasVersion) -> None:
    assert not can_be_flat(optimizer_of(name, keras, **arguments), keras=keras)


@pytest.mark.parametrize("arguments", [{"gradient_accumulation_steps": 2}, {"loss_scale_factor": 2.0}])
def test_arguments_of_keras_3_that_it_cannot_have(arguments: dict[str, Any], tensorflow: Any) -> None:
    assert not can_be_flat(optimizer_of("Adam", 3, **arguments), keras=3)


def test_a_variable_without_decay_is_not_like_the_others(keras: KerasVersion, tensorflow: Any) -> None:
    optimizer = optimizer_of("AdamW", keras)
    optimizer.exclude_from_weight_decay(var_names=["bias"])
    assert not can_be_flat(optimizer, keras=keras)


def test_a_subclass_may_do_anything(keras: KerasVersion) -> None:
    own = type("Own", (keras_module(keras).optimizers.Adam,), {})
    assert not can_be_flat(own(), keras=keras)


def test_our_own_nadam_can_be_flat(tensorflow: Any) -> None:
    assert can_be_flat(graph_nadam(), keras=2)


def test_an_optimizer_with_one_variable_more_forgets_it_again(keras: KerasVersion, tensorflow: Any) -> None:
    new = tensorflow.Variable if keras == 2 else keras_module(3).Variable
    variables = [new([1.0, 2.0]), new([[3.0]])]
    optimizer = optimizer_of("Adam", keras)
    optimizer.build(variables)
    slots = slot_lists(optimizer, variables)
    before = len(optimizer.variables)
    assert list(slots) == ["_momentums", "_velocities"]

    vector, *flat = [tensorflow.Variable([0.0, 0.0, 0.0]) for _ in range(3)]
    with one_variable_more(optimizer, vector, slots=dict(zip(slots, flat, strict=True)), keras=keras):
        optimizer.apply_gradients([(tensorflow.constant([1.0, 1.0, 1.0]), vector)])
    assert (vector.numpy() < 0).all()
    assert (flat[0].numpy() > 0).all()
    assert len(optimizer.variables) == before
    assert slot_lists(optimizer, variables) == slots
    assert all((slot.numpy() == 0).all() for listed in slots.values() for slot in listed)
