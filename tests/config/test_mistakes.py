from typing import Any

import pytest
from pydantic import ValidationError

from runyard.config.job import Job
from runyard.config.mistakes import Mistake, mistakes_error, mistakes_of, show_value, unknown_key


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        (1.5, "1.5"),
        ("a", '"a"'),
        ([1, None, "训"], '[1, null, "训"]'),
        ({"a": False}, '{"a": false}'),
        (object, f'"{object!r}"'),
    ],
)
def test_values_are_shown_as_in_the_file(value: Any, shown: str):
    assert show_value(value) == shown


def test_long_values_are_cut():
    assert show_value("a" * 1000) == '"' + "a" * 116 + "..."
    assert len(show_value(list(range(1000)))) == 120


def test_mistakes_survive_their_way_through_pydantic():
    mistake = Mistake("bad", ("a", 0), received="r", allowed="b", nearest="n", forgivable=True, hint="h")
    assert mistakes_of(mistakes_error([mistake, mistake])) == [mistake, mistake]


def test_an_unknown_key_is_forgivable():
    mistake = unknown_key("epoch", known=["epochs", "seed"], path=("epoch",))
    assert mistake == Mistake(
        "unknown key 'epoch'", ("epoch",), allowed="epochs, seed", nearest="epochs", forgivable=True, key="epoch"
    )


def test_a_very_long_key_does_not_bury_the_message():
    assert len(unknown_key("k" * 10_000, known=["a"], path=()).message) < 100


@pytest.mark.parametrize(
    ("detail", "message"),
    [
        ({}, "required key 'script_name' is missing"),
        ({"script_name": 1}, "needs a string"),
        ({"script_name": ""}, "must not be empty"),
        ({"script_name": "a", "train_args": []}, "needs an object {...}"),
        ({"script_name": "a", "params": {}}, "needs a list [...]"),
        ({"script_name": "a", "train_args": {"verbose": 1}}, "needs true or false"),
        ({"script_name": "a", "train_args": {"seed": 1.5}}, "needs a whole number"),
        ({"script_name": "a", "train_args": {"seed": -1}}, "must be greater than or equal to 0"),
        ({"script_name": "a", "train_args": {"ema": {"momentum": "x"}}}, "needs a number"),
        ({"script_name": "a", "train_args": {"ema": {"momentum": 1}}}, "must be less than 1"),
        ({"script_name": "a", "train_args": {"gradient": {"clip_norm": float("inf")}}}, "needs a finite number"),
        ({"script_name": "a", "train_args": {"ungrouped": "x"}}, "not one of the values that are allowed here"),
    ],
)
def test_what_pydantic_says_is_said_in_our_words(detail: dict[str, Any], message: str):
    with pytest.raises(ValidationError) as caught:
        Job.model_validate({"job_detail": detail})
    (mistake,) = mistakes_of(caught.value)
    assert mistake.message == message


@pytest.mark.parametrize(
    ("train_args", "hint"),
    [
        ({"verbose": "yes"}, "write true, without quotation marks"),
        ({"verbose": "On"}, "write true, without quotation marks"),
        ({"verbose": "false"}, "write false, without quotation marks"),
        ({"verbose": "off"}, "write false, without quotation marks"),
        ({"verbose": "maybe"}, None),
        ({"verbose": 1}, None),
        ({"save_path": True}, 'write it in quotation marks: "true"'),
        ({"save_path": 20240101}, 'write it in quotation marks: "20240101"'),
        ({"save_path": ["x"]}, None),
        ({"epochs": "5"}, "write it without quotation marks: 5"),
        ({"epochs": "five"}, None),
    ],
)
def test_a_value_of_the_wrong_type_has_a_remedy(train_args: dict[str, Any], hint: str | None):
    with pytest.raises(ValidationError) as caught:
        Job.model_validate({"job_detail": {"script_name": "a", "train_args": train_args}})
    (mistake,) = mistakes_of(caught.value)
    assert mistake.hint == hint
