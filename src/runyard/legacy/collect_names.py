"""Lists what TensorFlow 1 and TensorFlow 2 programs can name, so that a program is judged without TensorFlow.

`python -m runyard.legacy.collect_names` writes the list to `api_names.json`; `legacy.api_names` reads it. Names come
from the installed TensorFlow: `tf.compat.v1` is the TensorFlow 1 that there is, and its own upgrade tool knows where
names went.
"""

import importlib
import json
import types
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

from runyard.bridge.choice import choose_keras
from runyard.legacy.contrib import ROOMS
from runyard.legacy.contrib_modules import module_named
from runyard.legacy.mends import mend_tensorflow

FILE = Path(__file__).with_name("api_names.json")

_ELSEWHERE = frozenset(
    {"compat", "estimator", "keras", "python", "core", "tools", "tsl", "include", "pywrap_tensorflow"}
)
"""Not walked: other versions of the API, `tf.keras`, which both have, and TensorFlow's own folders."""

_DEPTH = 3


def collect() -> dict[str, Any]:
    """`{"both": [...], "tf1": {name: home in TensorFlow 2}, "tf2": [...], ...}`, names without the leading `tf.`.

    `methods1` are methods that datasets of TensorFlow 1 alone have, `keras3` the names in `tf.keras` that Keras 2 does
    not have, and `modules` the public names of every module that `tf.contrib` is made of now.
    """
    choose_keras(2)
    tensorflow = importlib.import_module("tensorflow")
    mend_tensorflow()
    version_1 = tensorflow.compat.v1
    old = set(_walk(version_1, prefix="", depth=_DEPTH))
    new = set(_walk(tensorflow, prefix="", depth=_DEPTH))
    renames = importlib.import_module("tensorflow.tools.compatibility.renames_v2").renames
    homes = {was.removeprefix("tf."): home for was, home in renames.items()}
    keras_2 = set(_public(importlib.import_module("tf_keras")))
    keras_3 = set(_public(importlib.import_module("keras")))
    return {
        "both": sorted(old & new),
        "tf1": {name: _home(name, homes.get(name), tensorflow=tensorflow) for name in sorted(old - new)},
        "tf2": sorted(new - old),
        "methods1": sorted(set(_public(version_1.data.Dataset)) - set(_public(tensorflow.data.Dataset))),
        "keras3": sorted(keras_3 - keras_2),
        "modules": {name: sorted(_public(module_named(name))) for name in sorted(_contrib_modules())},
    }


def show(listing: dict[str, Any]) -> str:
    """The text of the JSON file."""
    return json.dumps(listing, indent=0, sort_keys=True) + "\n"


def _home(name: str, renamed: str | None, *, tensorflow: Any) -> str:
    """Where a name went; where that is no other name for the same thing, that is said."""
    if renamed is None:
        return f"tf.compat.v1.{name}"
    was, now = (attrgetter(path)(tensorflow) for path in (f"compat.v1.{name}", renamed.removeprefix("tf.")))
    return renamed if was is now or was == now else f"{renamed} (differs)"


def _walk(module: Any, *, prefix: str, depth: int) -> Iterator[str]:
    for name in _public(module):
        try:
            member = getattr(module, name)
        except (AttributeError, ImportError):
            continue
        if not prefix and name in _ELSEWHERE:
            if name == "keras":
                yield name
            continue
        yield prefix + name
        if isinstance(member, types.ModuleType) and depth > 1:
            yield from _walk(member, prefix=f"{prefix}{name}.", depth=depth - 1)


def _public(thing: Any) -> Iterator[str]:
    return (name for name in dir(thing) if not name.startswith("_"))


def _contrib_modules() -> set[str]:
    return {source for room in ROOMS.values() for source in room.sources}


if __name__ == "__main__":
    FILE.write_text(show(collect()), encoding="utf-8")
