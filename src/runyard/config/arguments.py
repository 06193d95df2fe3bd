"""The arguments of optimizers, losses and metrics, checked against the list of known names."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from runyard.config.known_names import Kind, KnownName, Parameter
from runyard.config.problems import nearest_name


@dataclass(frozen=True)
class ArgumentMistake:
    """One thing that is wrong with the arguments; `argument` is None only if it concerns no single one."""

    argument: str | None
    message: str
    received: str | None = None
    allowed: str | None = None
    nearest: str | None = None
    unknown: bool = False
    """Whether there is no such argument at all."""


def check_arguments(kind: Kind, known: KnownName, args: Mapping[str, object]) -> list[ArgumentMistake]:
    """Every mistake in the `args` of an optimizer, a loss or a metric: unknown, of the wrong type, or missing.

    An argument that only one Keras version knows is accepted. An optimizer's `lr` is its `learning_rate`.
    """
    mistakes: list[ArgumentMistake] = []
    for name, value in args.items():
        parameter = known.parameters.get("learning_rate" if kind is Kind.OPTIMIZER and name == "lr" else name)
        if parameter is None:
            mistakes.append(_unknown(known, name))
        elif not (rule := _rule(known, parameter)).accepts(value):
            mistakes.append(_wrong_value(known, name, value, rule))
    mistakes += [_missing(known, p) for p in known.parameters.values() if p.required and p.name not in args]
    return mistakes


def _unknown(known: KnownName, name: str) -> ArgumentMistake:
    return ArgumentMistake(
        argument=name,
        unknown=True,
        message=f"{known.class_name} has no argument {name!r}",
        allowed=", ".join(known.parameters),
        nearest=nearest_name(name, known.parameters),
    )


def _wrong_value(known: KnownName, name: str, value: object, rule: "_Rule") -> ArgumentMistake:
    return ArgumentMistake(
        argument=name,
        message=f"{known.class_name} cannot take this value for {name!r}",
        received=json.dumps(value, ensure_ascii=False, default=repr),
        allowed=rule.allowed,
    )


def _missing(known: KnownName, parameter: Parameter) -> ArgumentMistake:
    return ArgumentMistake(
        argument=parameter.name,
        message=f"{known.class_name} needs the argument {parameter.name!r}",
        allowed=_rule(known, parameter).allowed,
    )


@dataclass(frozen=True)
class _Rule:
    allowed: str
    accepts: Callable[[object], bool]

    def or_null(self) -> "_Rule":
        return _Rule(f"{self.allowed}, or null", lambda value: value is None or self.accepts(value))


def _is_number(value: object) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer that no float can hold
        return False


def _is_from(value: object, low: float, high: float) -> bool:
    return isinstance(value, int | float) and _is_number(value) and low <= value <= high


def _is_number_or_list(value: object) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_number, cast("list[object]", value)))
    return _is_number(value)


def _is_position_or_key(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool) and value >= 0)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


_ANYTHING = _Rule("any value", lambda value: True)
_TRUE_OR_FALSE = _Rule("true or false", lambda value: isinstance(value, bool))
_TEXT = _Rule("a string", lambda value: isinstance(value, str))
_NUMBER = _Rule("a finite number", _is_number)
_NOT_NEGATIVE = _Rule("a finite number >= 0", lambda value: _is_from(value, 0, math.inf))
_USER_IDS = _Rule("the position (from 0) or the key of the user ids in x", _is_position_or_key)
_FRACTION = _Rule("a number from 0 to 1", lambda value: _is_from(value, 0, 1))
_NUMBER_OR_LIST = _Rule("a finite number or a list of them", _is_number_or_list)
_RATE_OR_SCHEDULE = _Rule(
    'a finite number >= 0 or a schedule {"type": ..., "args": {...}}',
    lambda value: isinstance(value, dict) or _is_from(value, 0, math.inf),
)

# What the default value does not tell: either it is None, or there is none, or more is allowed than its type.
_BY_NAME: Mapping[str, _Rule] = {
    "name": _TEXT.or_null(),
    "learning_rate": _RATE_OR_SCHEDULE,
    **dict.fromkeys(("clipnorm", "clipvalue", "global_clipnorm", "weight_decay"), _NUMBER.or_null()),
    **dict.fromkeys(("ema_overwrite_frequency", "loss_scale_factor", "gradient_accumulation_steps"), _NUMBER.or_null()),
    **dict.fromkeys(("top_k", "class_id", "ignore_class", "num_labels"), _NUMBER.or_null()),
    "num_classes": _NUMBER,
    **dict.fromkeys(("precision", "recall", "sensitivity", "specificity"), _FRACTION),
    "thresholds": _NUMBER_OR_LIST.or_null(),
    "user_id_index": _USER_IDS,
}
_COUNT = _Rule("a whole number of 1 or more", _is_count)
_BY_CLASS: Mapping[tuple[str, str], _Rule] = {
    **{(ranking, "k"): _COUNT.or_null() for ranking in ("NDCG", "MRR")},
    **{(by_group, "user_id_index"): _USER_IDS.or_null() for by_group in ("LogLoss", "Calibration", "ECE")},
    ("HitRate", "k"): _COUNT,
    ("ECE", "bins"): _COUNT,
    ("PairHinge", "margin"): _NOT_NEGATIVE,
    ("CategoricalFocalCrossentropy", "alpha"): _NUMBER_OR_LIST,
}


def _rule(known: KnownName, parameter: Parameter) -> _Rule:
    rule = _BY_CLASS.get((known.class_name, parameter.name)) or _BY_NAME.get(parameter.name)
    return rule or _rule_by_default(parameter.default)


def _rule_by_default(default: object) -> _Rule:
    if isinstance(default, bool):
        return _TRUE_OR_FALSE
    if isinstance(default, int | float):
        return _NUMBER
    if isinstance(default, str):
        return _TEXT
    return _ANYTHING
