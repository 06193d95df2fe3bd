"""Loading the user's script."""

import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType

from runyard.errors import ScriptError
from runyard.script.failures import callback_failure
from runyard.script.isolation import Isolation
from runyard.script.outline import why_not_a_script
from runyard.script.shadowing import LibraryFirst


class Script:
    """A loaded script: its functions by name, to be called within `active()`."""

    def __init__(self, path: Path, *, module: ModuleType, isolation: Isolation) -> None:
        self.path = path
        self._module = module
        self._isolation = isolation

    def active(self) -> AbstractContextManager[None]:
        """The context in which the script's code runs: see `Isolation`. Contexts of one script may be nested."""
        return self._isolation.active()

    def function(self, name: str) -> Callable[..., object] | None:
        """A top-level function of the script, or None."""
        found = getattr(self._module, name, None)
        return found if callable(found) else None

    @property
    def classes(self) -> dict[str, type]:
        """The classes at the top level of the script, imported ones, too."""
        return {name: thing for name, thing in vars(self._module).items() if isinstance(thing, type)}


def load_script(path: Path) -> Script:
    """Runs the script's top level in a module of its own.

    Raises:
        ScriptError: if there is no such file.
        CallbackFailed: if its top level raises.
    """
    reason = why_not_a_script(path)
    if reason is not None:
        raise ScriptError(f"{path}: {reason}", hint="script_name is relative to the pack path")
    path = path.resolve()
    name = path.stem.split(".")[0]
    libraries = LibraryFirst(name, folder=path.parent)
    isolation = Isolation(path.parent, libraries=libraries)
    with isolation.active():
        module = _new_module(f"runyard_script_{name}" if libraries.hides_library else name, path=path)
        try:
            # Compiled here: a script is run as it is now, not as a cached file remembers it.
            exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), vars(module))
        except (Exception, SystemExit) as error:
            raise callback_failure(error, doing=f"loading {path}", folder=path.parent) from error
    return Script(path, module=module, isolation=isolation)


def _new_module(name: str, *, path: Path) -> ModuleType:
    """An empty module, registered so that the script's helpers, dataclasses and AutoGraph can find it."""
    loader = importlib.machinery.SourceFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    return module
