import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from runyard.config import job_schema
from runyard.config.job import DETAIL_KEYS, EITHER_PLACE, ENVELOPE_KEYS, SYNONYMS

from .jobs import DETAIL, EXAMPLE_FILES, check, with_train_args

VALIDATOR = jsonschema.Draft202012Validator(job_schema())

VALID: list[dict[str, Any]] = [
    {"job_detail": DETAIL},
    DETAIL,
    {"$schema": "job_schema.json", **DETAIL, "num_workers": 2, "name": "flat"},
    {"job_detail": {**DETAIL, "num_workers": 4, "num_pss": 2, "keras": 3}},
    {"job_detail": {**DETAIL, "evaluation_args": {"models": "saved_model"}, "eval_data_args": {"file": "a"}}},
    {**DETAIL, "test_args": {"models": ["a", {"path": "b", "name": "c"}]}, "pred_args": {}, "pred_data_args": {}},
    with_train_args(optimizer="adam", losses="MSE", metrics="auc"),
    with_train_args(optimizer=["adam", {"type": "sgd", "args": {"lr": 0.1, "momentum": 0.9}}], losses=["mse", "mae"]),
    with_train_args(losses={"click": "bce", "like": {"type": "mse", "weight": 2}}, metrics={"click": ["auc"]}),
    with_train_args(losses={"type": "bce", "args": {"from_logits": True}}, metrics=[["auc", "acc"], "mse"]),
    with_train_args(
        losses="mse",
        optimizer={
            "type": "adam",
            "args": {"learning_rate": {"type": "piecewise", "args": {"boundaries": [5], "values": [1, 0.1]}}},
        },
        tensorboard={"profile_batch": "10, 20", "update_freq": "batch"},
        class_weight={"0": 1, "1": 2.5},
        batch_size=0,
        checkpoint={"every_seconds": None},
        input={"parallel": False},
        nni_search={"a": 1},
        model_call_exclude_input_index=[0, "uid"],
    ),
]
WRONG: list[dict[str, Any]] = [
    {},
    {"name": "no script"},
    {"job_detail": {"train_args": {}}},
    {"job_detail": []},
    {"job_detail": DETAIL, "train_args": {}},
    {"job_detail": DETAIL, "nmae": "x"},
    {"job_detail": {**DETAIL, "model_arg": {}}},
    {**DETAIL, "num_workers": 0},
    {**DETAIL, "keras": 4},
    {"job_detail": {**DETAIL, "val_data_args": "file.csv"}},
    with_train_args(epoch=3),
    with_train_args(epochs="3"),
    with_train_args(early_stopping={"monitor": "val_auc", "mode": "maximum"}),
    with_train_args(tensorboard=True),
    with_train_args(optimizer=[]),
    with_train_args(optimizer={"args": {}}),
    with_train_args(optimizer={"type": "adam", "args": {"learning_rate": {"type": "cosine", "args": {}}}}),
    with_train_args(losses={"type": "mse", "wieght": "mse"}),
    with_train_args(losses={}),
    with_train_args(metrics=[1]),
    with_train_args(checkpoint={"keep": 0}),
]


@pytest.mark.parametrize("file", EXAMPLE_FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_the_examples_are_accepted(file: Path):
    VALIDATOR.validate(json.loads(file.read_text(encoding="utf-8")))


@pytest.mark.parametrize("data", VALID)
def test_what_the_loader_accepts_is_accepted(data: dict[str, Any]):
    assert check(data).job is not None
    VALIDATOR.validate(data)


@pytest.mark.parametrize("data", WRONG)
def test_what_both_refuse(data: dict[str, Any]):
    assert check(data).job is None
    assert not VALIDATOR.is_valid(data)


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(job_schema())


def test_every_key_is_known_in_every_place_where_it_may_stand():
    schema = job_schema()
    assert set(schema["properties"]) == {"$schema", "job_detail", *ENVELOPE_KEYS, *DETAIL_KEYS, *SYNONYMS}
    assert set(schema["$defs"]["JobDetail"]["properties"]) == {*DETAIL_KEYS, *SYNONYMS, *EITHER_PLACE}


def test_no_key_means_one_thing_in_job_detail_and_another_around_it():
    assert not DETAIL_KEYS & ENVELOPE_KEYS


def objects(schema: object) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if "properties" in schema and "type" in schema:
            yield schema
        for value in schema.values():
            yield from objects(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from objects(item)


def test_every_key_says_what_it_is_for_and_what_its_default_is():
    learning_rates = {"learning_rate", "lr"}  # Keras's default, which depends on the optimizer
    for part in objects({key: value for key, value in job_schema().items() if key != "properties"}):
        for name, described in part["properties"].items():
            assert described["description"], name
            assert "default" in described or name in {*part.get("required", []), *learning_rates}, name


def test_a_key_without_meaning_is_marked():
    version = job_schema()["$defs"]["TrainArgs"]["properties"]["version"]
    assert version["deprecated"]
    assert version["description"].endswith("Has no effect: there is no model repository here.")


def test_names_are_offered_but_others_are_accepted():
    names = job_schema()["$defs"]["MetricName"]
    assert "auc" in names["anyOf"][0]["enum"]
    assert jsonschema.Draft202012Validator(names).is_valid("my_metric")


def test_the_schema_is_as_recorded(matches_golden: Callable[[str, str], None]):
    matches_golden("job_schema.json", json.dumps(job_schema(), indent=1, ensure_ascii=False) + "\n")
