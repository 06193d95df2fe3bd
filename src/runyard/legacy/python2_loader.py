"""Imports the program's modules, Python 2 among them."""

import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Sequence
from pathlib import Path

from runyard.legacy.ownership import is_library_file
from runyard.legacy.python2 import convert, told
from runyard.telemetry import note

converted_modules: set[str] = set()
"""AutoGraph reads a function's source from its file, where it is still Python 2; it must leave these alone."""


def compiled(file: str, *, module: str, python2: bool, tell: bool = True) -> types.CodeType:
    """The code of a file of the program.

    Args:
        module: the name that it runs under.
        python2: convert Python 2; otherwise it is an error.
        tell: say what was converted.

    Raises:
        SyntaxError: if it is Python 2 and may not be, or is no Python at all.
    """
    conversion = convert(Path(file).read_bytes(), file=file)
    if conversion.leftovers and not python2:
        raise SyntaxError(f"{file} is Python 2: {told(conversion.leftovers)}")
    if conversion.leftovers:
        converted_modules.add(module)
    if conversion.leftovers and tell:
        note(f"{file}: Python 2 converted in memory: {told(conversion.leftovers)}")
    return compile(conversion.tree, file, "exec", dont_inherit=True)


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, fullname: str, path: str, *, python2: bool) -> None:
        super().__init__(fullname, path)
        self._python2 = python2

    def get_code(self, fullname: str) -> types.CodeType:
        """Never from a cached file: that may have been compiled without conversion."""
        return compiled(self.get_filename(fullname), module=fullname, python2=self._python2)


class ProgramFinder(importlib.abc.MetaPathFinder):
    """Finds modules as Python does; those of the program are converted when they are loaded."""

    def __init__(self, *, python2: bool, packages: Sequence[str]) -> None:
        self._python2 = python2
        self._packages = frozenset(packages)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        is_programs = fullname.split(".")[0] in self._packages
        if path and not is_programs and is_library_file(next(iter(path))):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader or spec.origin is None:
            return None
        if is_library_file(spec.origin) and not is_programs:
            return None
        spec.loader = _Loader(fullname, spec.origin, python2=self._python2)
        return spec

    def install(self) -> None:
        sys.meta_path.insert(0, self)

    def remove(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)
