"""A script's own view of the process: its folder is importable and current, its modules are seen by its job alone."""

import contextlib
import inspect
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from runyard.script.ownership import holds_libraries, is_users
from runyard.script.shadowing import LibraryFirst


@dataclass(frozen=True)
class _Outside:
    """The process as it was before a script's view of it was put in place."""

    directory: str | None
    path: tuple[str, ...]
    modules: dict[str, ModuleType]


class Isolation:
    """The modules below one folder, and below those that its code adds to `sys.path`, private to one job.

    Within `active()` they are in `sys.modules`, the folder is first on `sys.path` and is the current directory (old
    scripts open files relative to themselves). Outside, nothing of it is visible, so that two jobs with a `helpers.py`
    each do not see the other's.

    All of this belongs to the process, not to a thread: code that TensorFlow runs in threads of its own sees it while
    any thread is within `active()`. Where contexts of several scripts are open, the one opened last is in force.
    """

    def __init__(self, folder: Path, *, libraries: LibraryFirst) -> None:
        self._folder = folder
        self._libraries = libraries
        self._modules: dict[str, ModuleType] = {}
        self._path = [str(folder)]
        self._roots = [folder]
        self._outside: _Outside | None = None

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        with _switching:
            _switch_to([*_entered, self])
        try:
            yield
        finally:
            with _switching:
                newest = len(_entered) - 1 - _entered[::-1].index(self)
                _switch_to([*_entered[:newest], *_entered[newest + 1 :]])

    def enter(self) -> None:
        self._outside = _Outside(_current_directory(), tuple(sys.path), dict(sys.modules))
        sys.modules.update(self._modules)
        sys.path[:] = dict.fromkeys([*self._path, *sys.path])
        sys.meta_path.insert(0, self._libraries)
        _change_directory(str(self._folder))

    def leave(self) -> None:
        outside = self._outside
        assert outside is not None
        self._remember_path(outside.path)
        # Before the path is changed: packages without an __init__.py look at it to know where they are.
        self._take_modules_back(outside.modules)
        sys.path[:] = outside.path
        with contextlib.suppress(ValueError):
            sys.meta_path.remove(self._libraries)
        if outside.directory is not None:
            _change_directory(outside.directory)

    def _remember_path(self, outside: Sequence[str]) -> None:
        added = {entry: Path(os.path.abspath(entry)) for entry in sys.path if entry not in outside}  # noqa: PTH100
        for entry in added:
            # Python remembers where a relative entry pointed to when it was first used.
            sys.path_importer_cache.pop(entry, None)
        self._path = [str(added.get(entry, entry)) for entry in sys.path]
        self._roots = [self._folder, *(root for root in added.values() if not holds_libraries(root))]

    def _take_modules_back(self, outside: dict[str, ModuleType]) -> None:
        put_in = self._modules
        new = {name: module for name, module in list(sys.modules.items()) if outside.get(name) is not module}
        self._modules = {name: module for name, module in new.items() if self._is_ours(module)}
        for name in self._modules:
            del sys.modules[name]
        sys.modules.update({name: outside[name] for name in (*put_in, *self._modules) if name in outside})

    def _is_ours(self, module: ModuleType) -> bool:
        # Looked up without running code: a lazy module would be imported by the question.
        file = inspect.getattr_static(module, "__file__", None)
        # A directory without __init__.py is a package, too, and has no file.
        parts = inspect.getattr_static(module, "__path__", None)
        places = [file] if isinstance(file, str) else parts if isinstance(parts, Iterable) else ()
        return any(is_users(str(place), folder=root) for place in places for root in self._roots)


_entered: list[Isolation] = []
"""One entry for each `active()` that has not ended; the last one's view is in place."""

_switching = threading.RLock()


def _switch_to(entered: Sequence[Isolation]) -> None:
    before = _entered[-1] if _entered else None
    after = entered[-1] if entered else None
    if before is not after:
        if before is not None:
            before.leave()
        if after is not None:
            after.enter()
    _entered[:] = entered


def _current_directory() -> str | None:
    try:
        return str(Path.cwd())
    except OSError:
        return None


def _change_directory(directory: str) -> None:
    """A directory that was removed meanwhile is no reason to stop a run whose code is loaded already."""
    with contextlib.suppress(OSError):
        os.chdir(directory)
