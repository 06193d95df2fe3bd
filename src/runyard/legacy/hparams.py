"""`tf.contrib.training.HParams`: named settings that a command line can change. TensorFlow 2 has no such class."""

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

_PAIR = re.compile(r"\s*(\w+)(?:\[(\d+)\])?\s*=\s*(\[[^\]]*\]|[^,\[]*?)\s*(?:,|\Z)")


class HParams:
    """Each keyword is an attribute; its type is that of its first value."""

    def __init__(self, **kwargs: Any) -> None:
        self._values: dict[str, Any] = {}
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._values:
            raise AttributeError(f"'HParams' object has no attribute {name!r}", name=name)
        return self._values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            super().__setattr__(name, value)
        else:
            self.set_hparam(name, value) if name in self._values else self.add_hparam(name, value)

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def __str__(self) -> str:
        return str(sorted(self._values.items()))

    def add_hparam(self, name: str, value: Any) -> None:
        if name in self._values:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        self._values[name] = list(value) if isinstance(value, list | tuple) else value

    def set_hparam(self, name: str, value: Any) -> None:
        self._values[name] = _as(type(self._values[name]), value)

    def del_hparam(self, name: str) -> None:
        self._values.pop(name, None)

    def get(self, key: str, default: Any = None) -> Any:
        return self._values.get(key, default)

    def values(self) -> dict[str, Any]:
        return dict(self._values)

    def parse(self, values: str) -> "HParams":
        """Takes over `name=value,other=[1,2]`."""
        return self.override_from_dict(
            parse_values(values, {name: type(value) for name, value in self._values.items()})
        )

    def override_from_dict(self, values_dict: Mapping[str, Any]) -> "HParams":
        for name, value in values_dict.items():
            if name not in self._values:
                raise ValueError(f"Unknown hyperparameter: {name}")
            self.set_hparam(name, value)
        return self

    def parse_json(self, values_json: str) -> "HParams":
        return self.override_from_dict(json.loads(values_json))

    def to_json(self, indent: int | None = None, separators: Any = None, sort_keys: bool = False) -> str:
        return json.dumps(self._values, indent=indent, separators=separators, sort_keys=sort_keys)


def parse_values(values: str, type_map: Mapping[str, type]) -> dict[str, Any]:
    """`name=value,other=[1,2]` as values of the types that are given."""
    found: dict[str, Any] = {}
    position = 0
    while position < len(values.rstrip()):
        pair = _PAIR.match(values, position)
        if pair is None:
            raise ValueError(f"Malformed hyperparameter value: {values[position:]}")
        name, _, text = pair.groups()
        if name not in type_map:
            raise ValueError(f"Unknown hyperparameter type for {name}")
        found[name] = [_literal(part) for part in text[1:-1].split(",")] if text.startswith("[") else text
        found[name] = _as(type_map[name], found[name])
        position = pair.end()
    return found


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError):
        return text.strip()


def _as(kind: type, value: Any) -> Any:
    if kind is type(None) or value is None or (isinstance(value, kind) and kind is not bool):
        return value
    if kind is bool:
        return (
            value
            if isinstance(value, bool)
            else {"true": True, "1": True, "false": False, "0": False}[str(value).lower()]
        )
    if kind is list and not isinstance(value, list):
        return [_literal(value) if isinstance(value, str) else value]
    return kind(_literal(value) if isinstance(value, str) and kind is int else value)
