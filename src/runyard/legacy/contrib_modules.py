"""`tf.contrib`, made of the modules that hold its parts today."""

import importlib
import types
from typing import Any

from runyard.legacy.contrib import ROOMS, Room, no_home, without_python
from runyard.legacy.overlay import Overlay

_V1 = "tensorflow.compat.v1"


def contrib_module(path: str) -> types.ModuleType:
    """The module `tensorflow.contrib.<path>`.

    Raises:
        ImportError: if it has no home; the message names what to use instead.
    """
    if not path:
        return Overlay("tensorflow.contrib", find=_package, listing=lambda: ROOMS)
    name, _, rest = path.partition(".")
    room = ROOMS.get(name)
    if room is None or not (room.sources or room.names or room.modules):
        raise ImportError(no_home(path))
    if not rest:
        return _overlay(name, room)
    module = _within(room, rest)
    if module is None:
        raise ImportError(no_home(path))
    return module


def _package(name: str) -> Any:
    try:
        return contrib_module(name)
    except ImportError as error:
        raise AttributeError(str(error)) from None


def _overlay(package: str, room: Room) -> Overlay:
    def find(name: str) -> Any:
        if name in room.names:
            module, _, attribute = room.names[name].partition(":")
            return getattr(module_named(module), attribute)
        if name in room.modules:
            return module_named(room.modules[name])
        for source in room.sources:
            try:
                return getattr(module_named(source), name)
            except AttributeError:
                continue
        module = _within(room, name)
        if module is None:
            raise AttributeError(no_home(f"{package}.{name}"))
        return module

    def listing() -> list[str]:
        return [*room.names, *(name for source in room.sources for name in dir(module_named(source)))]

    return Overlay(f"tensorflow.contrib.{package}", find=find, listing=listing)


def _within(room: Room, path: str) -> types.ModuleType | None:
    """A module within the room: one that moved, a package on the way to one, or a module of a source."""
    if path in room.modules:
        return module_named(room.modules[path])
    further = {name.removeprefix(f"{path}.") for name in room.modules if name.startswith(f"{path}.")}
    if further:
        deeper = Room(modules={name: room.modules[f"{path}.{name}"] for name in further}, instead=room.instead)
        return _overlay(path, deeper)
    inner = without_python(path)
    if not inner:
        return _overlay(path, room)
    moved = [(old, new) for old, new in room.modules.items() if path.startswith(f"{old}.")]
    places = [f"{new}{path.removeprefix(old)}" for old, new in moved]
    for source in room.sources:
        places += [f"{source}.{inner}", f"{source.rpartition('.')[0]}.{inner}"]
    for place in places:
        try:
            return importlib.import_module(place)
        except ImportError:
            continue
    return None


def module_named(name: str) -> Any:
    """A module by its name.

    Those of TensorFlow 1 are reached as attributes: where Keras is concerned, the attribute and the import differ.
    """
    if not name.startswith(f"{_V1}."):
        return importlib.import_module(name)
    found: Any = importlib.import_module(_V1)
    for part in name.removeprefix(f"{_V1}.").split("."):
        found = getattr(found, part)
    return found
