from typing import Any

import pytest
import tensorflow as tf

from runyard.bridge import KerasVersion, keras_module
from runyard.errors import ScriptError
from runyard.models import models_to_save


def model(keras: KerasVersion, name: str) -> Any:
    return keras_module(keras).Sequential([], name=name)


@tf.function(input_signature=[tf.TensorSpec([None])])
def signature(x: Any) -> Any:
    return x


def names(returned: object) -> list[str]:
    return [one.name for one in models_to_save(returned, default_name="script")]


def test_a_model_has_its_own_name(keras: KerasVersion) -> None:
    assert names(model(keras, "ranker")) == ["ranker"]


def test_a_dict_names_its_models(keras: KerasVersion) -> None:
    assert names({"user": model(keras, "ranker"), 2: (model(keras, "item"),)}) == ["user", "2"]


def test_a_model_without_a_name_is_called_as_the_script() -> None:
    nameless = model(2, "any")
    nameless._name = ""
    assert names([nameless]) == ["script"]


def test_models_of_one_name_are_numbered(keras: KerasVersion) -> None:
    assert names([model(keras, "ranker"), model(keras, "ranker"), model(keras, "ranker_1")]) == [
        "ranker",
        "ranker_1",
        "ranker_1_1",
    ]


def test_a_tuple_is_one_model_with_signatures_and_options(keras: KerasVersion) -> None:
    options = tf.saved_model.SaveOptions()
    (one,) = models_to_save((model(keras, "ranker"), {"scores": signature}, options), default_name="script")
    assert (one.name, one.signatures, one.options) == ("ranker", {"scores": signature}, options)


def test_a_single_signature_is_the_default_one() -> None:
    (one,) = models_to_save([(model(2, "ranker"), signature)], default_name="script")
    assert one.signatures == {"serving_default": signature}
    (one,) = models_to_save((model(2, "ranker"), signature.get_concrete_function()), default_name="script")
    assert one.signatures is not None


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (None, "it returned None"),
        ("saved_model", "it returned str"),
        ([], "returned no model, but an empty list"),
        ({}, "returned no model, but an empty dict"),
        ([None], r"it returned None at \[0\]"),
        ({"a": 3}, r"it returned int at \['a'\]"),
        ((), "it returned a tuple of 0"),
        ((model, 1), r"it returned function at \[0\]"),
    ],
)
def test_anything_else_is_an_error(returned: object, message: str) -> None:
    with pytest.raises(ScriptError, match=message):
        models_to_save(returned, default_name="script")


def test_several_models_in_a_tuple_are_an_error_that_says_what_to_do(keras: KerasVersion) -> None:
    pair = (model(keras, "user"), model(keras, "item"))
    with pytest.raises(ScriptError, match=r"the model 'item' in the place of signatures at \[1\](.|\n)*list or a dict"):
        models_to_save(pair, default_name="script")


def test_options_must_be_options() -> None:
    with pytest.raises(ScriptError, match=r"dict in the place of tf\.saved_model\.SaveOptions at \['a'\]\[2\]"):
        models_to_save({"a": (model(2, "ranker"), None, {})}, default_name="script")


@pytest.mark.parametrize("name", ["a/b", "..", "a|b", ".hidden", "two\nlines"])
def test_a_name_must_be_fit_for_a_directory(name: str) -> None:
    with pytest.raises(ScriptError, match="cannot name a directory"):
        models_to_save({name: model(2, "ranker"), "other": model(2, "other")}, default_name="script")
