"""A loaded script and the job that says what its callbacks are called with."""

from collections.abc import Mapping
from dataclasses import dataclass

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
