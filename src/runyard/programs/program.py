"""What `runyard run` was asked to run."""

import importlib.machinery
import sys
from dataclasses import dataclass
from pathlib import Path

from runyard.errors import ScriptError


@dataclass(frozen=True)
class Program:
    """A program that exists.

    Attributes:
        written: as the user wrote it.
        file: what runs as `__main__`.
        root: the folder that its imports start from.
        module: its full name if it was asked for as a module.
    """

    written: str
    file: Path
    root: Path
    module: str | None = None

    @property
    def package(self) -> str | None:
        """The top-level package or module of a program that was asked for as a module."""
        return self.module.split(".")[0] if self.module else None


def program_in_file(written: str) -> Program:
    """A file, or a folder with a `__main__.py`.

    Raises:
        ScriptError: if there is neither.
    """
    path = Path(written)
    if path.is_dir():
        main = path / "__main__.py"
        if not main.is_file():
            raise ScriptError(f"{written}: this is a folder without a __main__.py")
        return Program(written, file=main.absolute(), root=path.resolve())
    if not path.is_file():
        hint = f"did you mean -m {written}?" if not path.suffix and path.parent == Path() else None
        raise ScriptError(f"{written}: there is no such program", hint=hint)
    return Program(written, file=path.absolute(), root=path.resolve().parent)


def program_in_module(written: str) -> Program:
    """A module by its name, looked for in the current folder first. Nothing is imported yet.

    Raises:
        ScriptError: if there is no such module, or it is a package without a `__main__.py`.
    """
    folders: list[str] | None = [str(Path.cwd()), *sys.path]
    spec: importlib.machinery.ModuleSpec | None = None
    parts = written.split(".")
    for length in range(1, len(parts) + 1):
        spec = importlib.machinery.PathFinder.find_spec(".".join(parts[:length]), folders)
        if spec is None or (length < len(parts) and not spec.submodule_search_locations):
            raise ScriptError(
                f"-m {written}: there is no module {'.'.join(parts[:length])!r}",
                hint="modules are looked for in the current folder and on PYTHONPATH",
            )
        folders = list(spec.submodule_search_locations or ())
    assert spec is not None
    name = written
    if spec.submodule_search_locations:
        name = f"{written}.__main__"
        spec = importlib.machinery.PathFinder.find_spec(name, folders)
    if spec is None or spec.origin is None or not spec.has_location:
        raise ScriptError(f"-m {written}: this is a package without a __main__.py")
    file = Path(spec.origin).absolute()
    return Program(written, file=file, root=file.parents[name.count(".")], module=name)
