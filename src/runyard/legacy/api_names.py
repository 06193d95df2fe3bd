"""What TensorFlow 1 and TensorFlow 2 programs can name. Needs no TensorFlow: the list is generated."""

import json
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any


class Era(Enum):
    """Which TensorFlow has a name."""

    ONE = "TensorFlow 1 alone"
    TWO = "TensorFlow 2 alone"
    BOTH = "both"
    NEITHER = "neither"


@dataclass(frozen=True)
class ApiNames:
    """The generated list; names are written without the leading `tf.`."""

    one: dict[str, str]
    two: frozenset[str]
    both: frozenset[str]
    modules: frozenset[str]
    dataset_methods: frozenset[str]
    keras_3: frozenset[str]
    contents: dict[str, frozenset[str]]

    def era(self, name: str) -> tuple[Era, str]:
        """Which TensorFlow has `name`, and how much of it is the API's: what follows may be methods and fields."""
        parts = name.split(".")
        for length in range(len(parts), 0, -1):
            known = ".".join(parts[:length])
            for era, names in ((Era.ONE, self.one), (Era.TWO, self.two), (Era.BOTH, self.both)):
                if known in names:
                    if length < len(parts) and known in self.modules:
                        return Era.NEITHER, ".".join(parts[: length + 1])
                    return era, known
        return Era.NEITHER, name


@cache
def api_names() -> ApiNames:
    listing: dict[str, Any] = json.loads(Path(__file__).with_name("api_names.json").read_text(encoding="utf-8"))
    every = [*listing["tf1"], *listing["tf2"], *listing["both"]]
    return ApiNames(
        one=listing["tf1"],
        two=frozenset(listing["tf2"]),
        both=frozenset(listing["both"]),
        modules=frozenset(name.rpartition(".")[0] for name in every if "." in name),
        dataset_methods=frozenset(
            name for name in listing["methods1"] if name.startswith(("make_", "map_", "filter_"))
        ),
        keras_3=frozenset(listing["keras3"]),
        contents={module: frozenset(names) for module, names in listing["modules"].items()},
    )
