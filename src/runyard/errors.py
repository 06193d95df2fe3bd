"""Every way in which Runyard can refuse or fail, and the exit code of each.

| exit code | exception | meaning |
|---|---|---|
| 1 | `RunyardError` | a failure that fits nothing below |
| 2 | `ConfigError` | the job file or the command line is wrong; nothing was started |
| 3 | `ScriptError` | the script cannot be loaded, or breaks the callback contract |
| 4 | `CallbackFailed` | the user's own code raised; its traceback is shown |
| 5 | `DataError` | a dataset is empty, malformed, or does not fit the model |
| 6 | `ModelError` | the model, a loss, a metric or an optimizer cannot be used as asked |
| 7 | `CheckpointError` | a checkpoint cannot be written, read, or does not fit the job |
| 8 | `RunLocked` | another live run owns the directory |
| 9 | `StorageError` | a file or directory cannot be read or written |
| 10 | `TrainingDiverged` | the loss became NaN or infinite and `term_on_nan` is on |
| 11 | `PlatformError` | TensorFlow or Keras was set up in a way Runyard cannot work with |
| 13 | `AddressInUse` | the port that this process was given is taken; other ports help |
| 130 | `Interrupted` | Ctrl-C |
| 138 | `PeerLost` | another process of the job was lost; starting it again helps |
| 143 | `Terminated` | SIGTERM |
"""

from typing import ClassVar


class RunyardError(Exception):
    """The root of the tree: a message for a person, and an exit code for a program."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  hint: {self.hint}" if self.hint else self.message


class ConfigError(RunyardError):
    exit_code = 2


class ScriptError(RunyardError):
    exit_code = 3


class CallbackFailed(RunyardError):
    """The user's code raised.

    Args:
        doing: what Runyard was doing, in one line.
        user_traceback: the traceback from the first frame in the user's own files on.
    """

    exit_code = 4

    def __init__(self, doing: str, *, user_traceback: str) -> None:
        super().__init__(doing)
        self.user_traceback = user_traceback

    def __str__(self) -> str:
        return f"{self.message}\n\n{self.user_traceback}"


class DataError(RunyardError):
    exit_code = 5


class ModelError(RunyardError):
    exit_code = 6


class CheckpointError(RunyardError):
    exit_code = 7


class RunLocked(RunyardError):
    exit_code = 8


class StorageError(RunyardError):
    exit_code = 9


class TrainingDiverged(RunyardError):
    exit_code = 10


class PlatformError(RunyardError):
    exit_code = 11


class PeerLost(RunyardError):
    """Platforms that look at exit codes start a process again that ended with 128 or more; 138 asks for it."""

    exit_code = 138


class AddressInUse(RunyardError):
    exit_code = 13


class Interrupted(RunyardError):
    exit_code = 130


class Terminated(RunyardError):
    exit_code = 143
