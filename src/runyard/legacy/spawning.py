"""`multiprocessing` runs the program's file again in every process that it spawns: converted there, too."""

import inspect
import os
import runpy
import types
from pathlib import Path
from typing import Any

from runyard.legacy.ownership import is_library_file
from runyard.legacy.python2_loader import compiled


class SpawnedMain:
    """Reads the files that `runpy.run_path` runs. Python has no place of its own to hook into there."""

    def __init__(self, *, python2: bool) -> None:
        self._python2 = python2
        self._read: Any = getattr(runpy, "_get_code_from_file")  # noqa: B009
        self._gives_name = "run_name" in inspect.signature(self._read).parameters

    def install(self) -> None:
        setattr(runpy, "_get_code_from_file", self._code)  # noqa: B010

    def remove(self) -> None:
        setattr(runpy, "_get_code_from_file", self._read)  # noqa: B010

    def _code(self, *arguments: Any) -> Any:
        """What was converted has been told by the process that spawned this one."""
        file = Path(os.fsdecode(arguments[-1])).absolute()
        if not file.is_file() or is_library_file(str(file)):
            return self._read(*arguments)
        code: types.CodeType = compiled(str(file), module="__mp_main__", python2=self._python2, tell=False)
        return (code, arguments[-1]) if self._gives_name else code
