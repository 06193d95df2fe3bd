"""Lists the optimizers, losses and metrics of both Keras versions, so that a job file is checked without TensorFlow.

`python -m runyard.bridge.names` writes the list to `runyard/config/keras_names.json`; `config.known_names` reads it.
"""

import importlib
import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import runyard.config
from runyard.bridge.choice import start_tensorflow
from runyard.config.aliases import fold

FILE = Path(runyard.config.__file__).with_name("keras_names.json")

_PACKAGES = {"2": "tf_keras", "3": "keras"}
_BASES = {"optimizers": "Optimizer", "losses": "Loss", "metrics": "Metric"}

_LEFT_OUT = {
    # They wrap other optimizers, which a job file cannot pass; loss scaling and optimizer groups are Runyard's own.
    "LossScaleOptimizer",
    "MultiOptimizer",
    # They average or add values; they do not compare labels with predictions.
    "Mean",
    "MeanTensor",
    "Sum",
    # It needs a Python function.
    "MeanMetricWrapper",
    # `f1_score` is Runyard's own F1 in a job file. FBetaScore with its default beta of 1 is Keras's F1Score.
    "F1Score",
}


def collect() -> dict[str, Any]:
    """Every class a job file may name: `{namespace: {"classes": {class: {version: signature}}, "names": {...}}}`.

    A signature is `{"required": [parameter], "defaults": {parameter: value}}`. `names` holds the other spellings that
    Keras knows (`kld`, `log_cosh`) and their classes, unless they differ from the class name in case or `_` only.

    Raises:
        PlatformError: TensorFlow was imported before Keras 2 could be chosen.
    """
    start_tensorflow(2)
    packages = {version: importlib.import_module(package) for version, package in _PACKAGES.items()}
    listing: dict[str, Any] = {}
    for namespace, base in _BASES.items():
        classes: dict[str, dict[str, Any]] = {}
        names: dict[str, str] = {}
        for version, package in packages.items():
            module = getattr(package, namespace)
            found = dict(_concrete_classes(module, getattr(module, base)))
            for name, found_class in found.items():
                classes.setdefault(name, {})[version] = _signature(found_class)
            names.update(_other_names(module, found))
        listing[namespace] = {"classes": classes, "names": names}
    return listing


def show(listing: dict[str, Any]) -> str:
    """The text of the JSON file: sorted, one signature a line."""
    return _show(listing, levels=4, indent="") + "\n"


def _concrete_classes(module: Any, base: type) -> Iterator[tuple[str, type]]:
    for name, member in inspect.getmembers(module, inspect.isclass):
        if issubclass(member, base) and member is not base and name not in _LEFT_OUT:
            yield name, member


def _signature(found_class: type) -> dict[str, Any]:
    """The constructor's parameters, and through `**kwargs` those of its base classes.

    A base class's required parameters are not taken over: the class fills them in itself.
    """
    required: list[str] = []
    defaults: dict[str, Any] = {}
    for depth, parameters in enumerate(_constructors(found_class)):
        for parameter in parameters:
            if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                continue
            if parameter.default is not parameter.empty:
                if parameter.name not in required:
                    defaults.setdefault(parameter.name, parameter.default)
            elif depth == 0:
                required.append(parameter.name)
        if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
            break
    return {"required": sorted(required), "defaults": defaults}


def _constructors(found_class: type) -> Iterator[list[inspect.Parameter]]:
    for ancestor in found_class.__mro__[:-1]:
        if "__init__" in vars(ancestor):
            yield list(inspect.signature(vars(ancestor)["__init__"]).parameters.values())[1:]


def _other_names(module: Any, classes: dict[str, type]) -> Iterator[tuple[str, str]]:
    """Function names (`kld`) and default instance names (`huber_loss`) that stand for one of the classes."""
    by_folded = {fold(name): name for name in classes}
    for name, found_class in classes.items():
        own_name = _signature(found_class)["defaults"].get("name")
        if own_name is not None and by_folded.setdefault(fold(own_name), name) == name and fold(own_name) != fold(name):
            yield own_name, name
    for name, function in inspect.getmembers(module, inspect.isfunction):
        # Keras offers a few functions as metrics that have no metric class (`huber`); they take no arguments to check.
        class_name = by_folded.get(fold(function.__name__))
        if class_name is not None and fold(name) not in by_folded and name == name.lower():
            yield name, class_name


def _show(value: Any, *, levels: int, indent: str) -> str:
    if levels == 0 or not value or not isinstance(value, dict):
        return json.dumps(value, sort_keys=True, allow_nan=False)
    inner = indent + " "
    lines = (f"{inner}{json.dumps(key)}: {_show(value[key], levels=levels - 1, indent=inner)}" for key in sorted(value))
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


if __name__ == "__main__":
    FILE.write_text(show(collect()), encoding="utf-8")
