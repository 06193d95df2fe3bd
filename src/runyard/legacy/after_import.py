"""Something to do when a program has imported a module; until then the module is not touched."""

import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType


class AfterImport:
    """A finder that sees one module come, once.

    Args:
        then: called when the module is there.
    """

    def __init__(self, module: str, then: Callable[[], None]) -> None:
        self._module = module
        self._then = then

    def install(self) -> None:
        sys.meta_path.insert(0, self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Python's own answer, for the module that is waited for."""
        if name != self._module:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        run = spec.loader.exec_module

        def run_and_go_on(module: ModuleType) -> None:
            run(module)
            self._then()

        spec.loader.exec_module = run_and_go_on
        return spec
