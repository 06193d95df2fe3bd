"""Scripts called like a library: `json.py`, `tensorflow.py`. The library is still found by everyone who imports it."""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType


class LibraryFirst(MetaPathFinder):
    """Looks for the module of one name everywhere else before the script's folder.

    Args:
        name: the script's name without its ending.
        folder: where the script is.
    """

    def __init__(self, name: str, *, folder: Path) -> None:
        self._name = name
        self._folder = folder

    @property
    def hides_library(self) -> bool:
        """Whether the script would hide a library, if it were found first."""
        return self._name in sys.modules or self._name in sys.stdlib_module_names or self._elsewhere() is not None

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        return self._elsewhere() if fullname == self._name else None

    def _elsewhere(self) -> ModuleSpec | None:
        entries = [entry for entry in sys.path if Path(entry).resolve() != self._folder]
        for finder in sys.meta_path:
            if isinstance(finder, LibraryFirst):
                continue
            spec = finder.find_spec(self._name, entries)
            # Any directory can be imported as a package without code; such a one is no library.
            if spec is not None and spec.origin is not None:
                return spec
        return None
