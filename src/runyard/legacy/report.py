"""What a program uses of TensorFlow 1, where that lives today, and whether it will run. Needs no TensorFlow."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from runyard.legacy.api_names import Era, api_names
from runyard.legacy.contrib import Room, no_home, room_of, without_python
from runyard.legacy.names_in_files import in_keras_2, inside_tensorflow
from runyard.legacy.sources import ProgramSources, Source
from runyard.legacy.usage import methods, tensorflow_uses

_MNIST = "examples.tutorials.mnist.input_data"
_COMPACT = "python.util.compact"
_KERAS = "python.keras"
_INSIDE = "python."


@dataclass(frozen=True)
class Judged:
    """A name and what becomes of it.

    Attributes:
        home: where it lives today, or what to use instead.
        runs: whether `runyard run` gives it to the program.
    """

    home: str
    runs: bool


@dataclass(frozen=True)
class Row:
    """A name that the program uses, and the places where it does."""

    name: str
    places: tuple[tuple[Path, int], ...]
    judged: Judged


def names_of_tensorflow_1(program: ProgramSources) -> list[Row]:
    """Every name of TensorFlow 1 in a program, those that will not run first."""
    places: dict[str, list[tuple[Path, int]]] = {}
    judged: dict[str, Judged] = {}
    for source in program.sources:
        for name, line, verdict in _in_source(source):
            judged[name] = verdict
            places.setdefault(name, []).append((source.path, line))
    rows = [Row(name, tuple(dict.fromkeys(places[name])), verdict) for name, verdict in judged.items()]
    return sorted(rows, key=lambda row: (row.judged.runs, row.name))


def _in_source(source: Source) -> Iterable[tuple[str, int, Judged]]:
    for use in tensorflow_uses(source):
        found = _judge(use.name)
        if found is not None:
            yield found[0], use.line, found[1]
    for line, method in methods(source, api_names().dataset_methods):
        yield f"Dataset.{method}", line, Judged(f"tf.compat.v1.data.{method}", runs=True)
    for leftover in source.conversion.leftovers:
        yield f"Python 2: {leftover.what}", leftover.line, Judged("converted in memory", runs=True)


def _judge(name: str) -> tuple[str, Judged] | None:
    """None for a name that TensorFlow 2 has as well."""
    name = name.partition(".__")[0]
    root, _, rest = name.partition(".")
    if root == "contrib":
        return f"tf.{name}", _judge_contrib(rest)
    if root == "estimator":
        return "tf.estimator", Judged("out of scope: tf.keras, or a loop of your own", runs=False)
    if root == "examples":
        runs = name.startswith(_MNIST) or _MNIST.startswith(f"{name}.")
        return f"tensorflow.{name}", Judged("Runyard's own reader" if runs else "nothing in TensorFlow 2.21", runs=runs)
    if name == _KERAS or name.startswith(f"{_KERAS}."):
        below = name.removeprefix(_KERAS)
        runs = in_keras_2(below.removeprefix("."))
        return f"tensorflow.{name}", Judged(f"tf_keras{below}" if runs else "not in Keras 2.21 (tf_keras)", runs=runs)
    if name == _COMPACT or name.startswith(f"{_COMPACT}."):
        return f"tensorflow.{name}", Judged(f"tensorflow.python.util.compat{name.removeprefix(_COMPACT)}", runs=True)
    if name.startswith(_INSIDE):
        return f"tensorflow.{name}", _judge_inside(name.removeprefix(_INSIDE))
    if root in ("", "compat", "python", "core", "tools", "keras") or root.startswith("__"):
        return None
    era, known = api_names().era(name)
    if era is Era.ONE:
        return f"tf.{known}", Judged(api_names().one[known], runs=True)
    if era is Era.NEITHER:
        return f"tf.{known}", Judged("TensorFlow 2.21 has no such name", runs=False)
    return None


def _judge_inside(path: str) -> Judged:
    """What TensorFlow keeps for itself is there, or has moved without a word."""
    if inside_tensorflow(path):
        return Judged("still there, inside TensorFlow", runs=True)
    public = api_names().one.get(".".join(path.split(".")[-2:]))
    return Judged(f"gone from inside TensorFlow; {public}" if public else "gone from inside TensorFlow", runs=False)


def _judge_contrib(path: str) -> Judged:
    _, room, name = room_of(path)
    if room is None or not (room.sources or room.names or room.modules):
        return Judged(_instead(path), runs=False)
    inner = without_python(name)
    if not inner:
        return Judged(_home(room), runs=True)
    first = inner.split(".")[0]
    if first in room.names:
        return Judged(room.names[first].replace(":", "."), runs=True)
    for source in room.sources:
        if first in api_names().contents[source]:
            return Judged(f"{source}.{inner}", runs=True)
    for module, home in room.modules.items():
        if name == module or module.startswith(f"{name}.") or name.startswith(f"{module}."):
            return Judged(home, runs=True)
    return Judged(_instead(path), runs=False)


def _home(room: Room) -> str:
    homes = [*room.sources, *room.modules.values(), *(name.partition(":")[0] for name in room.names.values())]
    return homes[0]


def _instead(path: str) -> str:
    return no_home(path).partition("; instead: ")[2] or "nothing that Runyard knows of"
