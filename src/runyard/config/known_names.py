"""Which optimizers, losses and metrics a job file may name, and which arguments each takes. Needs no TensorFlow.

Keras's own come from `keras_names.json`, which `make names` generates from both Keras versions.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TypedDict, cast

from runyard.config.aliases import LOSS_ALIASES, METRIC_ALIASES, OPTIMIZER_ALIASES, Aliases, fold
from runyard.config.problems import nearest_name


class Kind(Enum):
    """What a name stands for; the value is its section in `keras_names.json`."""

    OPTIMIZER = "optimizers"
    LOSS = "losses"
    METRIC = "metrics"


@dataclass(frozen=True)
class Parameter:
    """One constructor argument. `default` is Keras 2's where the versions differ, and None for a required one."""

    name: str
    required: bool
    default: object


@dataclass(frozen=True)
class KnownName:
    """A class that a job file can name.

    Attributes:
        class_name: its name in Keras, or in Runyard.
        own: whether it is Runyard's, not Keras's.
        keras: the Keras versions that it exists for.
        parameters: those of all these versions; one is required only if every version requires it.
    """

    class_name: str
    own: bool
    keras: frozenset[int]
    parameters: Mapping[str, Parameter]


def find(kind: Kind, name: str) -> KnownName | None:
    """What a job file means by `name`; case, `_`, `-` and blanks do not count. None if the name is unknown."""
    return _by_folded_name(kind).get(fold(name))


def names(kind: Kind) -> list[str]:
    """One readable name for each class: the usual alias, or else the class name."""
    aliases = _ALIASES[kind]
    return [spellings[0] for spellings in aliases.values()] + [name for name in _classes(kind) if name not in aliases]


def nearest(kind: Kind, name: str) -> str | None:
    """The known name that was probably meant, over every spelling there is."""
    return nearest_name(name, [spelling for spelling, _ in spellings(kind)])


def spellings(kind: Kind) -> list[tuple[str, str]]:
    """Every spelling with the class it stands for: aliases, class names, Keras's function names."""
    return [
        *((alias, class_name) for class_name, aliases in _ALIASES[kind].items() for alias in aliases),
        *((class_name, class_name) for class_name in _classes(kind)),
        *_keras_listing()[kind.value]["names"].items(),
    ]


class _Signature(TypedDict):
    required: list[str]
    defaults: dict[str, object]


class _Section(TypedDict):
    classes: dict[str, dict[str, _Signature]]
    names: dict[str, str]


_ALIASES: Mapping[Kind, Aliases] = {
    Kind.OPTIMIZER: OPTIMIZER_ALIASES,
    Kind.LOSS: LOSS_ALIASES,
    Kind.METRIC: METRIC_ALIASES,
}

_OWN: Mapping[Kind, Mapping[str, _Signature]] = {
    Kind.OPTIMIZER: {
        "ProximalAdagrad": {
            "required": [],
            "defaults": {
                "learning_rate": 0.001,
                "initial_accumulator_value": 0.1,
                "l1_regularization_strength": 0.0,
                "l2_regularization_strength": 0.0,
                "name": "ProximalAdagrad",
            },
        },
    },
    Kind.LOSS: {
        "BPR": {"required": [], "defaults": {"reduction": "sum_over_batch_size", "name": "bpr"}},
        "PairHinge": {
            "required": ["margin"],
            "defaults": {"reduction": "sum_over_batch_size", "name": "pair_hinge"},
        },
    },
    Kind.METRIC: {
        "F1": {"required": [], "defaults": {"thresholds": None, "top_k": None, "class_id": None, "name": "f1"}},
        "GAUC": {
            "required": ["user_id_index"],
            "defaults": {"from_logits": False, "sample_size": 1024, "name": "gauc"},
        },
        "PairOrderAccuracy": {"required": [], "defaults": {"name": "pair_order_accuracy"}},
        "NDCG": {"required": ["user_id_index"], "defaults": {"k": None, "name": "ndcg"}},
        "MRR": {"required": ["user_id_index"], "defaults": {"k": None, "name": "mrr"}},
        "HitRate": {"required": ["k", "user_id_index"], "defaults": {"name": "hit_rate"}},
        "LogLoss": {
            "required": [],
            "defaults": {"user_id_index": None, "from_logits": False, "name": "log_loss"},
        },
        "Calibration": {
            "required": [],
            "defaults": {"user_id_index": None, "from_logits": False, "name": "calibration"},
        },
        "ECE": {
            "required": [],
            "defaults": {"user_id_index": None, "bins": 10, "from_logits": False, "name": "ece"},
        },
    },
}


@cache
def _keras_listing() -> Mapping[str, _Section]:
    text = Path(__file__).with_name("keras_names.json").read_text(encoding="utf-8")
    return cast("dict[str, _Section]", json.loads(text))


@cache
def _classes(kind: Kind) -> Mapping[str, KnownName]:
    classes = {
        name: KnownName(
            class_name=name,
            own=False,
            keras=frozenset(map(int, signatures)),
            parameters=_parameters(signatures[version] for version in sorted(signatures)),
        )
        for name, signatures in _keras_listing()[kind.value]["classes"].items()
    }
    for name, signature in _OWN[kind].items():
        classes[name] = KnownName(
            class_name=name, own=True, keras=frozenset({2, 3}), parameters=_parameters([signature])
        )
    return classes


@cache
def _by_folded_name(kind: Kind) -> Mapping[str, KnownName]:
    return {fold(spelling): _classes(kind)[class_name] for spelling, class_name in spellings(kind)}


def _parameters(signatures: Iterable[_Signature]) -> Mapping[str, Parameter]:
    """The union over the Keras versions, the older version's default first."""
    versions = list(signatures)
    required = set[str].intersection(*(set(version["required"]) for version in versions))
    defaults: dict[str, object] = {}
    for version in versions:
        for name in version["required"]:
            if name not in required:
                defaults.setdefault(name, None)
        for name, default in version["defaults"].items():
            defaults.setdefault(name, default)
    parameters = {name: Parameter(name=name, required=True, default=None) for name in sorted(required)}
    for name, default in defaults.items():
        parameters[name] = Parameter(name=name, required=False, default=default)
    return MappingProxyType(parameters)
