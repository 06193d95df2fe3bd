"""A script's own view of the process: its folder is importable and current, its modules are seen by its job alone."""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType


class Isolation:
    """The modules below one folder, private to one job.

    Within `active()` they are in `sys.modules`, the folder is first on `sys.path` and is the current directory (old
    scripts open files relative to themselves). Outside, nothing of it is visible, so that two jobs with a `helpers.py`
    each do not see the other's.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._modules: dict[str, ModuleType] = {}
        self._depth = 0

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        if self._depth:
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
            return
        before = Path.cwd() if _exists_cwd() else None
        hidden = {name: sys.modules[name] for name in self._modules if name in sys.modules}
        sys.modules.update(self._modules)
        sys.path.insert(0, str(self._folder))
        os.chdir(self._folder)
        self._depth = 1
        try:
            yield
        finally:
            self._depth = 0
            self._take_back(hidden)
            with contextlib.suppress(ValueError):
                sys.path.remove(str(self._folder))
            if before is not None:
                os.chdir(before)

    def _take_back(self, hidden: dict[str, ModuleType]) -> None:
        for name, module in list(sys.modules.items()):
            if self._is_ours(module):
                self._modules[name] = module
                del sys.modules[name]
        sys.modules.update(hidden)

    def _is_ours(self, module: ModuleType) -> bool:
        file = getattr(module, "__file__", None)
        # A virtual environment inside the folder holds libraries, which all jobs share.
        return isinstance(file, str) and file.startswith(f"{self._folder}{os.sep}") and "site-packages" not in file


def _exists_cwd() -> bool:
    try:
        Path.cwd()
    except OSError:
        return False
    return True
