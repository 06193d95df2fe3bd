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
    def callbacks(self) -> list[str]:
        return [name for name in vars(self._module) if name.startswith("awf_")]


def load_script(path: Path) -> Script:
    """Runs the script's top level in a module of its own.

    Raises:
        ScriptError: if there is no such file.
        CallbackFailed: if its top level raises.
    """
    path = path.resolve()
    if not path.is_file():
        raise ScriptError(f"{path}: there is no such script", hint="script_name is relative to the pack path")
    isolation = Isolation(path.parent)
    with isolation.active():
        module = _new_module(path)
        try:
            assert module.__spec__ is not None and module.__spec__.loader is not None
            module.__spec__.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            raise callback_failure(error, doing=f"loading {path}", folder=path.parent) from error
    return Script(path, module=module, isolation=isolation)


def _new_module(path: Path) -> ModuleType:
    """An empty module, registered under the script's own name so that its helpers and AutoGraph can find it."""
    name = path.stem.split(".")[0]
    if name in sys.modules or name in sys.stdlib_module_names:
        name = f"runyard_script_{name}"
    loader = importlib.machinery.SourceFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    return module
