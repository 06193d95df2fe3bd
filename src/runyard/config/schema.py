"""The JSON Schema of the job file, for editors: completion, descriptions, and a red line under a mistake.

The loader knows more than the schema (names, arguments, values that go together); nothing that the loader accepts is
refused by the schema.
"""

from typing import Any, cast, get_args

from pydantic.json_schema import models_json_schema

from runyard.config.base import NOTICE
from runyard.config.job import DETAIL_KEYS, EITHER_PLACE, ENVELOPE_KEYS, JOB_DETAIL, SYNONYMS, Job
from runyard.config.learning_rate import Schedule
from runyard.config.written_forms import LossForms, MetricForms

JsonSchema = dict[str, Any]

_SCHEDULES = get_args(get_args(Schedule)[0])
_TITLE = "A Runyard job file"


def job_schema() -> JsonSchema:
    """A schema (2020-12) for both shapes of a job file: with `job_detail`, or with its keys at the top level."""
    _, generated = models_json_schema([(model, "validation") for model in (Job, *_SCHEDULES)])
    definitions = cast("dict[str, JsonSchema]", _tidy(generated["$defs"], names_are_keys=True))
    for never_written in (LossForms, MetricForms):  # it depends on pydantic's mood whether they are listed
        definitions.pop(never_written.__name__, None)
    _describe_learning_rate(definitions["OptimizerSpec"])
    envelope: JsonSchema = definitions.pop("Job")["properties"]
    detail: JsonSchema = definitions["JobDetail"]["properties"]
    for synonym, first in SYNONYMS.items():
        detail[synonym] = {**detail[first], "description": f"Another name of {first}."}
    flat = {**envelope, **detail}
    detail |= {key: envelope[key] for key in EITHER_PLACE}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": _TITLE,
        "type": "object",
        "properties": {"$schema": {"type": "string", "description": "Where this schema is."}, **flat},
        "additionalProperties": False,
        "anyOf": [{"required": [JOB_DETAIL]}, {"required": ["script_name"]}],
        "if": {"required": [JOB_DETAIL]},
        "then": {"properties": dict.fromkeys(sorted({*DETAIL_KEYS, *SYNONYMS} - ENVELOPE_KEYS), False)},
        "$defs": definitions,
    }


def _tidy(schema: object, *, names_are_keys: bool = False) -> object:
    """Without generated titles; with a word of warning on keys that have no effect."""
    if isinstance(schema, list):
        return [_tidy(item) for item in cast("list[object]", schema)]
    if not isinstance(schema, dict):
        return schema
    members = cast("JsonSchema", schema)
    tidy = {
        key: value if key == "default" else _tidy(value, names_are_keys=key in ("properties", "$defs"))
        for key, value in members.items()
        if names_are_keys or key not in ("title", NOTICE)
    }
    if not names_are_keys and NOTICE in members:
        tidy |= {"description": f"{members['description']} Has no effect: {members[NOTICE]}.", "deprecated": True}
    return tidy


def _describe_learning_rate(optimizer: JsonSchema) -> None:
    schedules = [{"$ref": f"#/$defs/{schedule.__name__}"} for schedule in _SCHEDULES]
    rate: JsonSchema = {"anyOf": [{"type": "number", "minimum": 0}, *schedules]}
    optimizer["properties"]["args"]["properties"] = {
        "learning_rate": {**rate, "description": "A number, or a schedule; left out: Keras's default."},
        "lr": {**rate, "description": "Another name of learning_rate."},
    }
