"""A loaded script and the job that says what its callbacks are called with."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from runyard.config import Job, JobPaths
from runyard.errors import ScriptError
from runyard.script import Callback, Script, call


@dataclass(frozen=True)
class CalledScript:
    """Calls callbacks as the contract says.

    Args:
        lenient: pass over arguments of the job that a callback does not take.
    """

    script: Script
    job: Job
    paths: JobPaths
    lenient: bool = False

    @property
    def folder(self) -> Path:
        """Where the script is: whose files its user can look at."""
        return self.script.path.parent

    @property
    def stem(self) -> str:
        """The name of the script's file without its ending."""
        return self.script.path.stem

    @property
    def classes(self) -> dict[str, type]:
        """The classes at the top level of the script, by name."""
        return self.script.classes

    def active(self) -> AbstractContextManager[None]:
        """The context in which the script's code runs: it sees its own folder and modules."""
        return self.script.active()

    def has(self, callback: Callback) -> bool:
        return self.script.function(callback.name) is not None

    def call(
        self,
        callback: Callback,
        *subjects: object,
        config: Mapping[str, object] | None = None,
        injectable: Mapping[str, object] | None = None,
    ) -> object:
        """What a callback returns.

        Args:
            subjects: what is passed by position, such as the model.
            config: the arguments of the job file.
            injectable: what the callback gets beyond them if it has parameters of these names.
        """
        return call(
            self.script,
            callback,
            *subjects,
            config=config,
            injectable={**self.injectable(), **(injectable or {})},
            lenient=self.lenient,
        )

    def injectable(self) -> dict[str, object]:
        """What every callback and factory gets if it has parameters of these names."""
        data_path = str(self.paths.data)
        return {"pack_path": str(self.paths.pack), "data_path": data_path, "export_path": data_path}


def require(holds: bool, callback: Callback, *, returned: object) -> None:
    """Refuses what a callback has returned.

    Raises:
        ScriptError: unless it is what the contract says.
    """
    if not holds:
        kind = "None" if returned is None else type(returned).__name__
        raise ScriptError(f"{callback.name} returned {kind}, expected {callback.returns.value}")
