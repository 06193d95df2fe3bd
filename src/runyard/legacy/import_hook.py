"""Whose `import tensorflow` means what: the program's gets the stand-in, everybody else's the real one."""

import builtins
import importlib
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from runyard.legacy.ownership import is_users_code
from runyard.legacy.stand_in import StandIn
from runyard.telemetry import note

_ROOT = "tensorflow"


class ImportHook:
    """Takes the place of `__import__` and of `importlib.import_module`.

    Args:
        start: starts TensorFlow and makes the stand-in when the program first asks for it; None leaves the real one.
        packages: installed packages that belong to the program.
        python2: find `import model` in the package of the importing module, as Python 2 did.
    """

    def __init__(self, start: Callable[[], StandIn | None], *, packages: Sequence[str], python2: bool) -> None:
        self._start = start
        self._packages = frozenset(packages)
        self._python2 = python2
        self._stand_in: StandIn | None = None
        self._import = builtins.__import__
        self._import_module = importlib.import_module
        self._starting = False

    def install(self) -> None:
        builtins.__import__ = self.statement
        importlib.import_module = self.function

    def remove(self) -> None:
        if builtins.__import__ == self.statement:
            builtins.__import__ = self._import
        if importlib.import_module == self.function:
            importlib.import_module = self._import_module

    def statement(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,  # noqa: A002
        locals: Mapping[str, Any] | None = None,  # noqa: A002
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> types.ModuleType:
        """`import name` and `from name import ...`, for whoever has these globals."""
        importer = sys._getframe(1).f_globals if globals is None else globals
        if level == 0 and _is_tensorflow(name) and self._is_for(importer):
            return self._imported(name.partition(".")[2], names=fromlist or ())
        try:
            return self._import(name, globals, locals, fromlist or (), level)
        except ModuleNotFoundError as missing:
            first = name.split(".")[0]
            if level or missing.name != first or not self._is_beside(first, globals):
                raise
        note(f"{(globals or {}).get('__file__')}: Python 2 converted in memory: import {name} is of the same package")
        return self._import(name, globals, locals, fromlist or (), 1)

    def function(self, name: str, package: str | None = None) -> types.ModuleType:
        """`importlib.import_module`, for whoever calls it."""
        if _is_tensorflow(name) and self._is_for(sys._getframe(1).f_globals):
            stand_in = self._stand_in
            assert stand_in is not None
            return stand_in.module(name.partition(".")[2])
        return self._import_module(name, package)

    def _is_beside(self, module: str, importer: Mapping[str, Any] | None) -> bool:
        """Whether the importing module's own package has such a module."""
        names = importer or {}
        if not self._python2 or not names.get("__package__") or not is_users_code(names, packages=self._packages):
            return False
        folder = Path(str(names.get("__file__"))).parent
        return (folder / f"{module}.py").is_file() or (folder / module / "__init__.py").is_file()

    def _is_for(self, importer: Mapping[str, Any] | None) -> bool:
        """Whether an import of TensorFlow is to give the stand-in; starts it when there is none yet.

        A library that the program imports may be the first to ask: it gets the real one, set up for the program.
        """
        if self._starting:
            return False
        users = is_users_code(importer, packages=self._packages)
        if self._stand_in is None and (users or is_users_code(_main_names(), packages=self._packages)):
            self._begin()
        return users and self._stand_in is not None

    def _begin(self) -> None:
        self._starting = True
        try:
            self._stand_in = self._start()
        finally:
            self._starting = False
        if self._stand_in is None:
            self.remove()

    def _imported(self, path: str, *, names: Sequence[str]) -> types.ModuleType:
        stand_in = self._stand_in
        assert stand_in is not None
        module = stand_in.module(path)
        for name in names:
            if name != "*":
                _make_sure(stand_in, module, path=path, name=name)
        if names:
            return module
        _reachable(stand_in, path)
        return stand_in.root


def _main_names() -> Mapping[str, Any]:
    return vars(sys.modules["__main__"])


def _is_tensorflow(name: str) -> bool:
    return name == _ROOT or name.startswith(f"{_ROOT}.")


def _make_sure(stand_in: StandIn, module: types.ModuleType, *, path: str, name: str) -> None:
    """Sees to it that `from module import name` finds the name, or says why it cannot.

    Raises:
        ImportError: with the stand-in's own words; Python's would only say that there is no such name.
    """
    try:
        getattr(module, name)
    except AttributeError as missing:
        below = f"{path}.{name}" if path else name
        try:
            setattr(module, name, stand_in.module(below))
        except ModuleNotFoundError:
            where = ".".join(filter(None, [_ROOT, path]))
            raise ImportError(f"cannot import name {name!r} from {where!r}: {missing}", name=where) from None


def _reachable(stand_in: StandIn, path: str) -> None:
    """After `import tensorflow.a.b`, `tensorflow.a.b` is an attribute of an attribute."""
    parent: Any = stand_in.root
    parts = path.split(".") if path else []
    for length, part in enumerate(parts, 1):
        module = stand_in.module(".".join(parts[:length]))
        if getattr(parent, part, None) is not module:
            setattr(parent, part, module)
        parent = module
